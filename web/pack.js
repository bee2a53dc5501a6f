// Puts the page together: `node web/pack.js BUILT OUT`, where BUILT has the module and its JavaScript.
//
// What the page loads goes into a folder named after its contents, so that a browser or a server that keeps
// files for a while never mixes two versions. The service worker learns every file and its hash.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const SOURCE = dirname(fileURLToPath(import.meta.url));
const MODULE = 'carom_viewer_bg.wasm';
const PAGES = ['index.html', 'bricks.html'];
const MANIFESTS = ['carom.webmanifest', 'bricks.webmanifest'];
const ICONS = ['icon.svg', 'icon-180.png', 'icon-192.png', 'icon-512.png', 'maskable-512.png'];

const [built, out] = process.argv.slice(2);
if (!out) {
  console.error('usage: node web/pack.js BUILT OUT');
  process.exit(2);
}

/** What the page loads: name to contents. */
const app = new Map();
for (const name of readdirSync(join(SOURCE, 'app')).sort()) app.set(name, readFileSync(join(SOURCE, 'app', name)));
for (const name of ['carom_viewer.js', MODULE]) app.set(name, readFileSync(join(built, name)));
const folder = `app-${hashOf(app)}`;

/** Everything: path to contents. */
const site = new Map();
for (const [name, contents] of app) site.set(`${folder}/${name}`, contents);
for (const name of ICONS) site.set(`icons/${name}`, readFileSync(join(SOURCE, 'icons', name)));
for (const name of MANIFESTS) site.set(name, readFileSync(join(SOURCE, name)));
for (const name of PAGES) site.set(name, page(readFileSync(join(SOURCE, name), 'utf8')));
site.set('worker.js', worker());

clear(out);
for (const [path, contents] of site) {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), contents);
}
report();

/** A page that finds its files, and knows the size of the module. */
function page(text) {
  const ready = text.replaceAll('="app/', `="${folder}/`).replace('data-bytes="0"', `data-bytes="${app.get(MODULE).length}"`);
  if (!ready.includes(`"${folder}/shell.js"`) || ready.includes('data-bytes="0"')) {
    throw new Error('a page has no place for the app or its size');
  }
  return Buffer.from(ready);
}

function worker() {
  const files = [...site].map(([path, contents]) => [path, `sha256-${createHash('sha256').update(contents).digest('base64')}`]);
  const code = readFileSync(join(SOURCE, 'worker.js'), 'utf8');
  const version = hashOf(new Map([...site, ['worker.js', Buffer.from(code)]]));
  return Buffer.from(`const VERSION = '${version}';\nconst FILES = ${JSON.stringify(files, null, 1)};\n\n${code}`);
}

/** Twelve digits that stand for names and contents. */
function hashOf(files) {
  const hash = createHash('sha256');
  for (const [path, contents] of files) hash.update(`${path} ${contents.length}\n`).update(contents);
  return hash.digest('hex').slice(0, 12);
}

/** Empties a folder that an earlier run has filled; any other folder must be empty already. */
function clear(path) {
  if (!existsSync(path)) return;
  const names = readdirSync(path);
  if (names.length > 0 && !['worker.js', ...PAGES].every((name) => names.includes(name))) {
    console.error(`${path} holds other files: choose an empty folder, or one that this built before`);
    process.exit(2);
  }
  for (const name of names) rmSync(join(path, name), { recursive: true });
}

function report() {
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(0).padStart(6)} kB`;
  let [raw, small] = [0, 0];
  for (const [path, contents] of site) {
    const gzip = gzipSync(contents, { level: 9 }).length;
    raw += contents.length;
    small += gzip;
    if (path.endsWith(MODULE)) console.log(`${kilobytes(contents.length)}, ${kilobytes(gzip)} with gzip: the module`);
  }
  console.log(`${kilobytes(raw)}, ${kilobytes(small)} with gzip: all ${site.size} files in ${out}`);
}
