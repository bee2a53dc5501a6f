// Fetches and starts the WebAssembly module, and tells how far that is.

/**
 * Loads the app's module. `bytes` is its size, which the server does not tell where it compresses;
 * `progress` is called with how many of them are there.
 */
export async function load(bytes, progress) {
  const [glue, module] = await Promise.all([import('./carom_viewer.js'), fetchModule(progress)]);
  progress(bytes);
  await glue.default({ module_or_path: module });
  return glue;
}

/** The module's file, counted as it passes on its way to the compiler. */
async function fetchModule(progress) {
  const url = new URL('carom_viewer_bg.wasm', import.meta.url);
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error(`the server answered ${response.status} ${response.statusText} for ${url.pathname}`);
  }
  let received = 0;
  const count = new TransformStream({
    transform(chunk, controller) {
      received += chunk.byteLength;
      progress(received);
      controller.enqueue(chunk);
    },
  });
  // The type is set here, since not every server knows it and the compiler insists.
  return new Response(response.body.pipeThrough(count), { headers: { 'Content-Type': 'application/wasm' } });
}
