// Builds the web UI: messages first, then one Vite build per app.
// A step is skipped when its inputs are the same as the last time it ran.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { appendFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { brotliCompress } from 'node:zlib';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => path.join(root, ...parts);
const cache = at('node_modules/.cache/quartet');
const configFile = at('ui/vite.config.ts');

// The port each service listens on by default, for the proxy of `npm run dev <app>`.
const ports = { downloads: 8080, sync: 8090, media: 8420, wind: 8450 };
const apps = Object.keys(ports);
const tools = ['package-lock.json', 'scripts/ui.mjs', 'ui/vite.config.ts'];
const fonts = ['@fontsource-variable/inter'];
const swagger = ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE'];

const commands = { build, app: buildOne, texts, generate, gallery, dev };
const [command = 'build', ...rest] = process.argv.slice(2);
if (!commands[command]) throw new Error(`Unknown command: ${command}`);
await commands[command](...rest);
// Paraglide leaves timers running that would keep the process alive for half a minute.
if (isMainThread && command !== 'dev') process.exit();

/** Without compression, a fifth of the time is saved; the server then compresses with gzip. */
async function build(option) {
  const texts = textsFromThread(['kit', ...apps]);
  await texts.get('kit');
  for (const app of apps) {
    await texts.get(app);
    await buildApp(app);
  }
  if (option !== 'uncompressed') await Promise.all(apps.map(compressAssets));
  const docs = at('src/quartet/ui/docs');
  await once('docs', ['ui/docs', ...tools], `${docs}/index.html`, () => copyDocs(docs));
}

/** Compiles texts in another thread, so that a build uses two cores; returns a promise for each. */
function textsFromThread(parts) {
  const thread = new Worker(new URL(import.meta.url), { argv: ['texts', ...parts] });
  const failed = new Promise((_, reject) => thread.once('error', reject));
  const done = (part) =>
    new Promise((resolve) => {
      thread.on('message', (name) => name === part && resolve());
    });
  return new Map(parts.map((part) => [part, Promise.race([done(part), failed])]));
}

async function texts(...parts) {
  for (const part of parts) {
    await generateTexts(part);
    parentPort.postMessage(part);
  }
}

/** Builds one app, which is enough while only its pages change. */
async function buildOne(app) {
  await generateTexts('kit', app);
  await buildApp(app);
}

async function buildApp(app) {
  const out = at('src/quartet/ui', app);
  await once(`build-${app}`, ['ui/kit', `ui/${app}`, ...tools], `${out}/index.html`, () =>
    bundle(at('ui', app), out),
  );
  if (app === 'downloads') await packExtension(`${out}/extension/quartet-firefox.zip`);
}

/** Packs the browser extension into the built downloads UI, whose build empties the folder. */
async function packExtension(zip) {
  // The image build has no Python in this stage and packs the extension later.
  if (!existsSync(at('extension'))) return;
  await once('extension', ['extension', 'scripts/extension.py'], zip, () =>
    promisify(execFile)('python3', [at('scripts/extension.py')]),
  );
}

async function generate() {
  await generateTexts('kit', ...apps);
  // Only the checks read them.
  for (const app of apps) {
    const out = at('ui', app, 'src/api.d.ts');
    await once(`types-${app}`, [`ui/${app}/openapi.json`, ...tools], out, () =>
      writeTypes(app, out),
    );
  }
}

async function generateTexts(...parts) {
  for (const part of parts) {
    const out = at('ui', part, 'src/paraglide');
    await once(`texts-${part}`, [`ui/${part}/messages`, ...tools], `${out}/runtime.js`, () =>
      compileTexts(part, out),
    );
  }
}

async function gallery() {
  await generate();
  const out = at('build/gallery');
  await once('gallery', ['ui/kit', ...tools], `${out}/index.html`, () =>
    bundle(at('ui/kit/gallery'), out),
  );
}

async function dev(app) {
  if (!ports[app]) throw new Error(`Name one of: ${apps.join(', ')}`);
  await generate();
  const { createServer } = await import('vite');
  const target = `http://127.0.0.1:${ports[app]}`;
  const proxy = { '/api': { target, ws: true } };
  const server = await createServer({ configFile, root: at('ui', app), server: { proxy } });
  await server.listen();
  server.printUrls();
}

/** Runs `work` unless its inputs are unchanged and its output is still there. */
async function once(name, inputs, output, work) {
  const stamp = path.join(cache, `${name}.stamp`);
  const now = fingerprint(inputs);
  const before = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
  if (before === now && existsSync(output)) return;
  const start = performance.now();
  await work();
  await mkdir(cache, { recursive: true });
  await writeFile(stamp, now);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`web UI: ${name.replace('-', ' of ')}, ${seconds} s`);
}

function fingerprint(inputs) {
  const hash = createHash('sha256');
  for (const file of inputs.flatMap((input) => files(input))) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(at(file)));
  }
  return hash.digest('hex');
}

/** Lists the files under a path, except generated ones. */
function files(input) {
  if (/\/(paraglide|node_modules)$|\/api\.d\.ts$/.test(input)) return [];
  if (!statSync(at(input)).isDirectory()) return [input];
  return readdirSync(at(input))
    .sort()
    .flatMap((name) => files(`${input}/${name}`));
}

async function bundle(appRoot, outDir) {
  const { build: viteBuild } = await import('vite');
  await viteBuild({
    configFile,
    root: appRoot,
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true },
  });
  await addFontLicenses(path.join(outDir, 'licenses.md'));
}

/** Writes a Brotli file next to each script and style sheet, a sixth smaller than with gzip. */
async function compressAssets(app) {
  const folder = at('src/quartet/ui', app, 'assets');
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    // The names contain a hash, and a new build empties the folder.
    if (!/\.(js|css)$/.test(name) || existsSync(`${file}.br`)) continue;
    await writeFile(`${file}.br`, await promisify(brotliCompress)(await readFile(file)));
  }
}

/** Adds the licences of the fonts, since Vite only lists the packages of scripts. */
async function addFontLicenses(file) {
  for (const font of fonts) {
    const text = readFileSync(at('node_modules', font, 'LICENSE'), 'utf8');
    await appendFile(file, `\n## ${font} (OFL-1.1)\n\n${text}`);
  }
}

async function compileTexts(part, outdir) {
  const { compile } = await import('@inlang/paraglide-js');
  // The project file is generated into the cache. It must name the installed plugin, because the
  // default one is loaded from a CDN.
  const project = path.join(cache, `${part}.inlang`);
  const relative = (target) => path.relative(cache, at(target)).replaceAll(path.sep, '/');
  await mkdir(project, { recursive: true });
  const settings = {
    baseLocale: 'en',
    locales: ['en', 'de'],
    modules: [relative('node_modules/@inlang/plugin-message-format/dist/index.js')],
    'plugin.inlang.messageFormat': { pathPattern: relative(`ui/${part}/messages/{locale}.json`) },
  };
  await writeFile(path.join(project, 'settings.json'), JSON.stringify(settings));
  await compile({
    project,
    outdir,
    strategy: ['baseLocale'],
    outputStructure: 'locale-modules',
    isServer: 'false',
    emitGitIgnore: false,
    emitPrettierIgnore: false,
    emitReadme: false,
  });
}

async function writeTypes(app, out) {
  const { default: openapi, astToString } = await import('openapi-typescript');
  const schema = JSON.parse(readFileSync(at('ui', app, 'openapi.json'), 'utf8'));
  await writeFile(out, astToString(await openapi(schema)));
}

async function copyDocs(out) {
  await rm(out, { recursive: true, force: true });
  await cp(at('ui/docs/page'), out, { recursive: true });
  for (const file of swagger) {
    await cp(at('node_modules/swagger-ui-dist', file), path.join(out, file));
  }
}
