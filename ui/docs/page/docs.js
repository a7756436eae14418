// The page lies beside the API it describes: the address is taken from this script's own.
const here = document.currentScript.src;
const dark = matchMedia('(prefers-color-scheme: dark)');

function follow() {
  let theme = 'system';
  try {
    theme = localStorage.getItem('quartet.theme') ?? theme;
  } catch {
    // Storage can be forbidden; the system's theme is used then.
  }
  const isDark = theme === 'dark' || (theme === 'system' && dark.matches);
  document.documentElement.classList.toggle('dark-mode', isDark);
}

follow();
dark.addEventListener('change', follow);

globalThis.SwaggerUIBundle({
  url: new URL('../openapi.json', here).href,
  dom_id: '#docs',
  // The default asks a validator on the internet.
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: true,
});
