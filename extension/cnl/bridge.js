// Between the page and the extension, which cannot hear each other.
addEventListener('message', ({ source, data }) => {
  if (source !== window || data?.kind !== 'quartet-clicknload') return;
  void chrome.runtime.sendMessage({
    kind: 'clicknload',
    action: String(data.action),
    fields: data.fields,
  });
});
