import { countWaiting } from './captchas.js';
import { linksIn } from './links.js';
import { at, say, translate } from './page.js';
import { call, openServer, send, text } from './server.js';

translate();
void show();

at('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const links = linksIn(at('links').value);
  if (links.length === 0) return say(text('no_links'), 'bad');
  try {
    say(await send(links), 'good');
    at('links').value = '';
  } catch (error) {
    say(error.message, 'bad');
  }
});
at('open').addEventListener('click', () => void openServer());
at('captchas').addEventListener('click', () => void openServer('/captchas'));
at('options').addEventListener('click', () => void chrome.runtime.openOptionsPage());

/** Shows the current activity of the server. */
async function show() {
  try {
    const { active, queued } = await call('/api/stats');
    at('now').textContent = text('now', active, queued);
    const waiting = await countWaiting();
    at('captchas').hidden = waiting === 0;
    at('captchas').textContent = text('captchas_waiting', waiting);
  } catch (error) {
    say(error.message, 'bad');
  }
}
