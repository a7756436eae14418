// Runs as a script of the page and intercepts requests to Click'n'Load on this computer.
(() => {
  const OURS = /^https?:\/\/(127\.0\.0\.1|localhost):9666\/flash\/(\w+)/i;
  const actionOf = (address) => OURS.exec(new URL(address, location.href).href)?.[2];
  const fieldsOf = (data) =>
    Object.fromEntries([...new URLSearchParams(data)].map(([name, value]) => [name, `${value}`]));
  const hand = (action, data) =>
    postMessage({ kind: 'quartet-clicknload', action, fields: fieldsOf(data) }, location.origin);

  // Pages check for this before they show their button.
  window.jdownloader = true;

  function caught(form, submitter) {
    // Read attributes, because fields of the form may shadow its properties.
    const own = submitter?.getAttribute('formaction');
    const action = actionOf(own ?? form.getAttribute('action') ?? '');
    if (action) hand(action, new FormData(form));
    return Boolean(action);
  }

  addEventListener(
    'submit',
    (event) => {
      if (!caught(event.target, event.submitter)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    true,
  );

  const submit = HTMLFormElement.prototype.submit;
  HTMLFormElement.prototype.submit = function () {
    if (!caught(this)) submit.call(this);
  };

  const realFetch = window.fetch;
  window.fetch = async (target, options = {}) => {
    const address = typeof target === 'string' || target instanceof URL ? target : target.url;
    const action = actionOf(address);
    if (!action) return realFetch(target, options);
    hand(action, options.body ?? '');
    return new Response('success\r\n');
  };

  const open = XMLHttpRequest.prototype.open;
  const sendRequest = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.open = function (method, address, ...rest) {
    this.quartetAction = actionOf(address);
    // The request is replaced, because its content was already sent to the extension.
    const harmless = 'data:text/plain,success';
    return this.quartetAction
      ? open.call(this, 'GET', harmless, ...rest)
      : open.call(this, method, address, ...rest);
  };
  XMLHttpRequest.prototype.send = function (body) {
    if (this.quartetAction) hand(this.quartetAction, body ?? '');
    return sendRequest.call(this, this.quartetAction ? null : body);
  };
})();
