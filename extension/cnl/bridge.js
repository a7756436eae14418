// Relays messages from the page to the extension, which cannot communicate directly.
addEventListener('message', ({ source, data }) => {
  if (source !== window || data?.kind !== 'quartet-clicknload') return;
  void chrome.runtime.sendMessage({
    kind: 'clicknload',
    action: String(data.action),
    fields: data.fields,
  });
});
