/// <reference types="vitest/config" />
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

const themeScript = new URL('./kit/src/theme/first.js', import.meta.url);
const mapLibrary = new URL('../node_modules/maplibre-gl/src', import.meta.url).pathname;
const kitWorker = new URL('./kit/worker/sw.js', import.meta.url).pathname;

/**
 * Sets the theme before the first paint, in a separate file because inline scripts are forbidden.
 * The tag comes right after <base>, which the server finds by its exact text to insert the base
 * path.
 */
function themeFirst(): Plugin {
  let asset = '';
  return {
    name: 'theme-first',
    buildStart() {
      if (this.environment.mode !== 'build') return;
      const source = readFileSync(themeScript, 'utf8');
      asset = this.emitFile({ type: 'asset', name: 'theme.js', source });
    },
    generateBundle() {
      asset = this.getFileName(asset);
    },
    configureServer(server) {
      server.middlewares.use('/theme.js', (_request, response) => {
        response.setHeader('Content-Type', 'text/javascript').end(readFileSync(themeScript));
      });
    },
    transformIndexHtml: {
      order: 'post',
      handler: (html, { bundle }) =>
        html.replace(
          '<base href="/" />',
          `<base href="/">\n    <script src="./${bundle ? asset : 'theme.js'}"></script>`,
        ),
    },
  };
}

/** Loads the font of the text together with the scripts, not only when the first text is shown. */
function fontFirst(): Plugin {
  return {
    name: 'font-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((file) => file.includes('inter-latin-wght-normal'))
          .map((file) => ({
            tag: 'link',
            attrs: {
              rel: 'preload',
              href: `./${file}`,
              as: 'font',
              type: 'font/woff2',
              crossorigin: true,
            },
            injectTo: 'head',
          })),
    },
  };
}

/** Writes the service worker: that of the kit, followed by what the app adds to it. */
function serviceWorker(): Plugin {
  let own = '';
  return {
    name: 'service-worker',
    apply: 'build',
    configResolved({ root }) {
      own = join(root, 'worker.js');
    },
    generateBundle() {
      const parts = [kitWorker, own].filter((file) => existsSync(file));
      const source = parts.map((file) => readFileSync(file, 'utf8')).join('\n');
      this.emitFile({ type: 'asset', fileName: 'sw.js', source });
    },
  };
}

/**
 * Builds the map library from its sources. It is published as two bundles, for the page and for its
 * worker, which have half of their code in common; the page loads a third less if they share it.
 */
function mapFromSource(): Plugin {
  const workerUrl = '\0map-worker-url';
  return {
    name: 'map-from-source',
    apply: 'build',
    enforce: 'pre',
    resolveId(id) {
      if (id === 'maplibre-gl') return `${mapLibrary}/index.ts`;
      if (id === 'maplibre-gl/dist/maplibre-gl-worker.mjs?url') return workerUrl;
    },
    load(id) {
      if (id !== workerUrl) return;
      const worker = this.emitFile({
        type: 'chunk',
        id: `${mapLibrary}/source/worker.ts`,
        name: 'map-worker',
      });
      return `export default import.meta.ROLLUP_FILE_URL_${worker};`;
    },
  };
}

export default defineConfig({
  base: './',
  cacheDir: new URL('../node_modules/.cache/vite', import.meta.url).pathname,
  plugins: [
    themeFirst(),
    fontFirst(),
    serviceWorker(),
    mapFromSource(),
    svelte({ configFile: false, compilerOptions: { runes: true } }),
  ],
  // The map library declares fields that its base classes have set already.
  oxc: { typescript: { removeClassFieldsWithoutInitializer: true } },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The licences of the bundled packages require that their texts are passed on.
    license: { fileName: 'licenses.md' },
    // The map library is that large; it is only loaded with the map.
    chunkSizeWarningLimit: 1200,
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  test: {
    include: ['ui/*/test/**/*.test.ts'],
    // A worker per test file takes more than twice the CPU time.
    isolate: false,
    pool: 'threads',
    setupFiles: ['ui/kit/test/freshModules.ts'],
    root: new URL('..', import.meta.url).pathname,
    // The icons are Svelte components, which Node cannot import directly.
    server: { deps: { inline: ['@lucide/svelte'] } },
  },
});
