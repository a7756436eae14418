// ==UserScript==
// @name         Quartet captchas
// @name:de      Quartet-Captchas
// @namespace    quartet
// @version      __VERSION__
// @description  Shows a captcha that the download manager is waiting for, and sends the answer back.
// @description:de Zeigt ein Captcha, auf das der Download-Manager wartet, und sendet die Antwort.
// @match        *://*/*
// @connect      __CONNECT__
// @grant        GM_xmlhttpRequest
// @grant        GM.xmlHttpRequest
// @run-at       document-start
// @noframes
// ==/UserScript==

(() => {
  'use strict';

  const SERVER = "__SERVER__";
  const MARK = '#quartet=';
  const PAGES_OWN = 'quartet-pages-own';
  const LOOK_MILLISECONDS = 250;
  // The server's responses to an answer: accepted, or too late.
  const OUTCOMES = { 204: 'done', 404: 'gone', 409: 'gone', 410: 'gone' };

  // For each kind: its script, the class it looks for, and the field for its answer.
  const KINDS = {
    recaptcha: {
      script: 'https://www.google.com/recaptcha/api.js',
      enterprise: 'https://www.google.com/recaptcha/enterprise.js',
      widget: 'g-recaptcha',
      field: 'g-recaptcha-response',
    },
    hcaptcha: {
      script: 'https://js.hcaptcha.com/1/api.js',
      widget: 'h-captcha',
      field: 'h-captcha-response',
    },
    turnstile: {
      script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
      widget: 'cf-turnstile',
      field: 'cf-turnstile-response',
    },
  };

  const TEXTS = {
    en: {
      solve: 'Solve the captcha; the answer is sent by itself.',
      done: 'Done. This page can be closed.',
      gone: 'This captcha is no longer needed. This page can be closed.',
      failed: 'The download manager did not take the answer.',
    },
    de: {
      solve: 'Captcha lösen; die Antwort wird von selbst geschickt.',
      done: 'Fertig. Diese Seite kann geschlossen werden.',
      gone: 'Dieses Captcha wird nicht mehr gebraucht. Diese Seite kann geschlossen werden.',
      failed: 'Der Downloadmanager hat die Antwort nicht angenommen.',
    },
  };
  const texts = TEXTS[navigator.language.slice(0, 2)] ?? TEXTS.en;

  function challengeIn(hash) {
    if (!hash.startsWith(MARK)) return null;
    try {
      const base64 = hash.slice(MARK.length).replaceAll('-', '+').replaceAll('_', '/');
      const found = JSON.parse(atob(base64));
      // The challenge belongs to another server, which has its own userscript.
      const ours = (found.server ?? SERVER) === SERVER;
      return ours && Object.hasOwn(KINDS, found.kind) ? found : null;
    } catch {
      return null;
    }
  }

  const challenge = challengeIn(location.hash);
  if (!challenge) return;
  const kind = KINDS[challenge.kind];
  const hash = location.hash;
  // Hide the secret from the page.
  history.replaceState(null, '', location.pathname + location.search);

  let line = null;

  function say(text) {
    if (!line) {
      line = document.createElement('p');
      Object.assign(line.style, {
        position: 'fixed',
        insetInline: '0',
        insetBlockStart: '0',
        margin: '0',
        padding: '12px 16px',
        background: '#14532d',
        color: '#fff',
        font: '16px/1.4 system-ui, sans-serif',
        zIndex: '2147483647',
      });
      line.setAttribute('role', 'status');
      (document.body ?? document.documentElement).append(line);
    }
    line.textContent = text;
  }

  function showOwn() {
    // Replace the hoster's page, because its scripts would use up the answer.
    document.open();
    document.write('<!doctype html><html><head></head><body></body></html>');
    document.close();
    const widget = document.createElement('div');
    widget.className = kind.widget;
    widget.dataset.sitekey = challenge.siteKey;
    widget.style.margin = '80px 16px';
    document.body.append(widget);
    const script = document.createElement('script');
    script.src = (challenge.enterprise && kind.enterprise) || kind.script;
    script.addEventListener('error', usePagesOwn);
    document.head.append(script);
  }

  // If the page's policy blocks the captcha script, use the captcha of the page itself.
  function usePagesOwn() {
    sessionStorage.setItem(PAGES_OWN, challenge.id);
    history.replaceState(null, '', location.pathname + location.search + hash);
    location.reload();
  }

  function token() {
    const fields = document.querySelectorAll(`[name="${kind.field}"]`);
    return [...fields].map((field) => field.value).find(Boolean);
  }

  function send(answer) {
    const request = globalThis.GM_xmlhttpRequest ?? GM.xmlHttpRequest;
    request({
      method: 'POST',
      url: `${SERVER}/api/captcha/solve`,
      // The secret authorises the answer. A bearer token also shows that no page sent the request.
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${challenge.secret}` },
      data: JSON.stringify({ id: challenge.id, secret: challenge.secret, token: answer }),
      anonymous: true,
      onload: ({ status }) => say(texts[OUTCOMES[status]] ?? texts.failed),
      onerror: () => {
        say(texts.failed);
        setTimeout(watch, 3000);
      },
    });
  }

  function watch() {
    const looking = setInterval(() => {
      const answer = token();
      if (!answer) return;
      clearInterval(looking);
      send(answer);
    }, LOOK_MILLISECONDS);
  }

  function begin() {
    say(texts.solve);
    watch();
  }

  if (sessionStorage.getItem(PAGES_OWN) === challenge.id) {
    document.addEventListener('DOMContentLoaded', begin, { once: true });
  } else {
    showOwn();
    begin();
  }
})();
