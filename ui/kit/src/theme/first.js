// Runs before the first paint so that a stored theme does not flash.
try {
  document.documentElement.dataset.theme = localStorage.getItem('quartet.theme') || 'system';
} catch {
  // Storage can be forbidden; the system's theme is used then.
}
