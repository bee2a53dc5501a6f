// Runs a program compiled for wasm32-wasip1, with all files in reach: `node scripts/wasi.mjs MODULE ARGUMENTS..`.

import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';

const args = process.argv.slice(2);
if (args.length === 0) {
  console.error('usage: node scripts/wasi.mjs MODULE ARGUMENTS..');
  process.exit(2);
}
const wasi = new WASI({ version: 'preview1', args, env: process.env, preopens: { '/': '/' } });
const module = await WebAssembly.compile(readFileSync(args[0]));
process.exit(wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject())));
