import { showActivity } from './activity.js';
import { countWaiting, EVERY_MINUTES } from './captchas.js';
import { followChoice, forward } from './cnl/choice.js';
import { linksIn, linksInPage, mediaInPage, selectionInPage } from './links.js';
import { openServer, Refused, send, text } from './server.js';
import { bypass, followTakeover, listen } from './takeover/takeover.js';

const MENU = {
  link: ['link', 'image', 'video', 'audio'],
  selection: ['selection'],
  page: ['page'],
  links: ['page'],
  media: ['page'],
};
const IN_PAGE = { links: linksInPage, media: mediaInPage };

chrome.runtime.onInstalled.addListener(async () => {
  await chrome.contextMenus.removeAll();
  for (const [id, contexts] of Object.entries(MENU)) {
    chrome.contextMenus.create({ id, contexts, title: text(`menu_${id}`) });
  }
  await followChoice();
  await followTakeover(tell);
});

// At each start, because the browser then asks which events wake the extension.
listen(tell);
// Created at each start, because browsers may discard alarms when they exit.
chrome.alarms.create('captchas', { periodInMinutes: EVERY_MINUTES });

chrome.contextMenus.onClicked.addListener((info, tab) => void clicked(info, tab));
chrome.alarms.onAlarm.addListener(() => void showState());
chrome.notifications.onClicked.addListener((id) => {
  void chrome.notifications.clear(id);
  void openServer(id.startsWith('captcha') ? '/captchas' : '/grabber');
});
chrome.storage.onChanged.addListener((changes) => {
  if (changes.clickNLoad) void followChoice();
  if (changes.takeOver) void followTakeover(tell);
  if (changes.address || changes.token) void showState();
});
chrome.runtime.onMessage.addListener((message, sender, answer) => {
  if (message.kind === 'bypass') void bypass();
  if (message.kind !== 'clicknload') return false;
  forward(message, sender.url).then(
    (said) => (tell(said), answer(true)),
    (error) => (tell(explained(error)), answer(false)),
  );
  return true;
});

async function showState() {
  await showActivity(await countWaiting());
}

/** Handles a click in the context menu. */
export async function clicked(info, tab) {
  try {
    const links = await chosen(info, tab);
    if (links.length === 0) throw new Refused(text('no_links'));
    const toGrabber = info.menuItemId in IN_PAGE;
    tell(await send(links, info.pageUrl, { toGrabber }));
  } catch (error) {
    tell(explained(error));
  }
}

async function chosen(info, tab) {
  if (info.menuItemId === 'page') return linksIn(info.pageUrl ?? '');
  if (info.menuItemId === 'link') return linksIn(info.linkUrl ?? info.srcUrl ?? '');
  const find = IN_PAGE[info.menuItemId] ?? selectionInPage;
  return linksIn(await found(find, info, tab));
}

/** Runs a function in the page; some pages do not allow it, only the selected text is known then. */
async function found(func, { selectionText = '', frameId = 0 }, tab) {
  try {
    const target = { tabId: tab.id, frameIds: [frameId] };
    const [{ result }] = await chrome.scripting.executeScript({ target, func });
    return result;
  } catch {
    return selectionText;
  }
}

const explained = (error) => (error instanceof Refused ? error.message : String(error));

function tell(message) {
  const look = { type: 'basic', iconUrl: '/icons/128.png', title: text('name') };
  void chrome.notifications.create({ ...look, message });
}
