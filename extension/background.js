import { countWaiting, EVERY_MINUTES } from './captchas.js';
import { followChoice, forward } from './cnl/choice.js';
import { linksIn, selectionInPage } from './links.js';
import { openServer, Refused, send, text } from './server.js';

const MENU = {
  link: ['link', 'image', 'video', 'audio'],
  selection: ['selection'],
  page: ['page'],
};

chrome.runtime.onInstalled.addListener(async () => {
  await chrome.contextMenus.removeAll();
  for (const [id, contexts] of Object.entries(MENU)) {
    chrome.contextMenus.create({ id, contexts, title: text(`menu_${id}`) });
  }
  await followChoice();
});

// Created at each start, because browsers may discard alarms when they exit.
chrome.alarms.create('captchas', { periodInMinutes: EVERY_MINUTES });

chrome.contextMenus.onClicked.addListener((info, tab) => void clicked(info, tab));
chrome.alarms.onAlarm.addListener(() => void countWaiting());
chrome.notifications.onClicked.addListener((id) => {
  void chrome.notifications.clear(id);
  void openServer(id.startsWith('captcha') ? '/captchas' : '/grabber');
});
chrome.storage.onChanged.addListener((changes) => {
  if (changes.clickNLoad) void followChoice();
  if (changes.address || changes.token) void countWaiting();
});
chrome.runtime.onMessage.addListener((message, sender, answer) => {
  if (message.kind !== 'clicknload') return false;
  forward(message, sender.url).then(
    (said) => (tell(said), answer(true)),
    (error) => (tell(explained(error)), answer(false)),
  );
  return true;
});

/** Handles a click in the context menu. */
export async function clicked(info, tab) {
  try {
    const links = await chosen(info, tab);
    if (links.length === 0) throw new Refused(text('no_links'));
    tell(await send(links, info.pageUrl));
  } catch (error) {
    tell(explained(error));
  }
}

async function chosen(info, tab) {
  if (info.menuItemId === 'page') return linksIn(info.pageUrl ?? '');
  if (info.menuItemId === 'link') return linksIn(info.linkUrl ?? info.srcUrl ?? '');
  return linksIn(await selected(info, tab));
}

/** Includes the addresses of selected links; some pages do not allow reading them. */
async function selected({ selectionText = '', frameId = 0 }, tab) {
  try {
    const target = { tabId: tab.id, frameIds: [frameId] };
    const [{ result }] = await chrome.scripting.executeScript({ target, func: selectionInPage });
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
