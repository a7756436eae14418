import { EVERYWHERE } from './cnl/choice.js';
import { at, say, translate } from './page.js';
import { addressOf, call, keep, originsOf, settings, text } from './server.js';

translate();
void show();

at('form').addEventListener('submit', (event) => {
  event.preventDefault();
  void save();
});
at('clickNLoad').addEventListener('change', (event) => void choose(event.currentTarget));

async function show() {
  const { address, token, start, clickNLoad } = await settings();
  at('address').value = address;
  at('token').value = token;
  at('start').checked = start;
  at('clickNLoad').checked = clickNLoad;
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
  if (!(await allowed(originsOf(address)))) return say(text('not_allowed', address), 'bad');
  try {
    const { version } = await call('/api/settings', { using });
    await keep({ ...using, start: at('start').checked });
    at('address').value = address;
    say(text('connected', version), 'good');
  } catch (error) {
    say(error.message, 'bad');
  }
}

async function choose(box) {
  if (box.checked) box.checked = await allowed(EVERYWHERE);
  await keep({ clickNLoad: box.checked });
}

const allowed = (origins) => chrome.permissions.request({ origins });
