import { EVERYWHERE } from './cnl/choice.js';
import { at, say, translate } from './page.js';
import { addressOf, call, keep, originsOf, settings, text } from './server.js';
import { PERMISSIONS } from './takeover/takeover.js';

translate();
void show();

at('form').addEventListener('submit', (event) => {
  event.preventDefault();
  void save();
});
at('clickNLoad').addEventListener('change', (event) =>
  choose(event.currentTarget, { origins: EVERYWHERE }),
);
at('takeOver').addEventListener('change', (event) => choose(event.currentTarget, PERMISSIONS));
at('takeOverFrom').addEventListener('change', ({ currentTarget }) =>
  keep({ takeOverFrom: Math.max(0, currentTarget.valueAsNumber || 0) }),
);
at('takeOverTypes').addEventListener('change', ({ currentTarget }) =>
  keep({ takeOverTypes: currentTarget.value }),
);

async function show() {
  const { address, token, start, clickNLoad, ...rules } = await settings();
  at('address').value = address;
  at('token').value = token;
  at('start').checked = start;
  at('clickNLoad').checked = clickNLoad;
  at('takeOver').checked = rules.takeOver;
  at('takeOverFrom').value = rules.takeOverFrom;
  at('takeOverTypes').value = rules.takeOverTypes;
}

/** Saves the settings only after the server has responded. */
async function save() {
  let address;
  try {
    address = addressOf(at('address').value);
  } catch {
    return say(text('address_invalid'), 'bad');
  }
  const using = { address, token: at('token').value.trim() };
  // Must come first: browsers only ask for permission right after a click.
  if (!(await allowed({ origins: originsOf(address) })))
    return say(text('not_allowed', address), 'bad');
  try {
    const { version } = await call('/api/settings', { using });
    await keep({ ...using, start: at('start').checked });
    at('address').value = address;
    say(text('connected', version), 'good');
  } catch (error) {
    say(error.message, 'bad');
  }
}

async function choose(box, permissions) {
  if (box.checked) box.checked = await allowed(permissions);
  await keep({ [box.id]: box.checked });
}

const allowed = (permissions) => chrome.permissions.request(permissions);
