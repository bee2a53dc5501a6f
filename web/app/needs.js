// What the app needs of a browser, and what to say where it is missing.

/**
 * The smallest module that uses 128-bit vectors: one function without arguments that returns the constant zero.
 * Only a browser that knows such vectors finds it valid.
 */
const VECTOR_MODULE = Uint8Array.from([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, // "\0asm", version 1
  0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b, // types: () -> v128
  0x03, 0x02, 0x01, 0x00, // functions: one, of that type
  0x0a, 0x16, 0x01, 0x14, 0x00, 0xfd, 0x0c, ...new Array(16).fill(0), 0x0b, // code: v128.const 0
]);

/** Whether this browser runs vector instructions. */
export function hasVectors() {
  return typeof WebAssembly === 'object' && WebAssembly.validate(VECTOR_MODULE);
}

/** What this browser lacks, as a title and what to do about it; null if nothing. */
export function missing() {
  if (typeof WebAssembly !== 'object') {
    return ['This browser cannot run WebAssembly', 'carom needs it to compute. Any browser of the last years has it, unless it was switched off.'];
  }
  if (!hasVectors()) {
    return ['This browser is too old', 'carom computes with WebAssembly SIMD: Chrome or Edge 91, Firefox 89, Safari 16.4, or later.'];
  }
  if (!hasWebGl()) {
    return ['This browser cannot draw with WebGL', 'Switch on hardware acceleration in its settings, update the graphics driver, or try another browser.'];
  }
  return null;
}

function hasWebGl() {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('webgl2') ?? canvas.getContext('webgl');
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}
