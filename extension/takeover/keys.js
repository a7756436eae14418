// Tells the extension that the user holds the key which leaves a download to the browser.
addEventListener(
  'pointerdown',
  (event) => {
    if (event.altKey) void chrome.runtime.sendMessage({ kind: 'bypass' });
  },
  true,
);
