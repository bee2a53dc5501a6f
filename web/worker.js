// The service worker: all files of one version, kept together.
//
// `scripts/web` puts two constants before this: VERSION, a hash of everything, and FILES, pairs of a URL
// relative to this file and the hash of what must be there. A version is kept whole or not at all, and a
// new one waits until the page asks for it or is closed: no page ever sees files of two versions.

/* global VERSION, FILES */

const PREFIX = `carom ${self.registration.scope} `;
const CACHE = PREFIX + VERSION;

self.addEventListener('install', (event) => {
  event.waitUntil(keepAll());
});

self.addEventListener('activate', (event) => {
  event.waitUntil(takeOver());
});

self.addEventListener('message', (event) => {
  if (event.data === 'take over') self.skipWaiting();
});

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (event.request.method === 'GET' && url.href.startsWith(self.registration.scope)) {
    event.respondWith(answer(event.request, url));
  }
});

async function keepAll() {
  const cache = await caches.open(CACHE);
  try {
    await Promise.all(FILES.map(([name, integrity]) => keep(cache, name, integrity)));
  } catch (error) {
    await caches.delete(CACHE);
    throw error;
  }
}

async function keep(cache, name, integrity) {
  const url = new URL(name, self.registration.scope);
  const response = await fetch(url, { cache: 'no-cache', integrity });
  if (!response.ok) throw new Error(`${response.status} for ${name}`);
  // Made anew: browsers refuse to show a page from a response that says it was redirected.
  const type = response.headers.get('Content-Type') ?? 'application/octet-stream';
  await cache.put(url, new Response(await response.blob(), { headers: { 'Content-Type': type } }));
}

async function takeOver() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)));
  await self.clients.claim();
}

async function answer(request, url) {
  const cache = await caches.open(CACHE);
  const page = url.pathname.endsWith('/') ? new URL('index.html', url) : url;
  return (await cache.match(page, { ignoreSearch: true })) ?? fetch(request);
}
