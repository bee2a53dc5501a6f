// Keeps the page for when there is no network, and brings new versions in.

/** Registers the service worker, and shows the bar with a button once a newer version waits. */
export async function keepOffline(bar) {
  if (!('serviceWorker' in navigator)) return;
  // Only a change from one version to the next is news; the first worker takes over silently.
  let reloading = !navigator.serviceWorker.controller;
  navigator.serviceWorker.addEventListener('controllerchange', () => {
    if (!reloading) location.reload();
    reloading = true;
  });
  try {
    const registration = await navigator.serviceWorker.register('worker.js', { updateViaCache: 'none' });
    const offer = (worker) => {
      if (!worker || !navigator.serviceWorker.controller) return;
      bar.hidden = false;
      bar.querySelector('button').onclick = () => worker.postMessage('take over');
    };
    offer(registration.waiting);
    registration.addEventListener('updatefound', () => {
      const worker = registration.installing;
      worker?.addEventListener('statechange', () => {
        if (worker.state === 'installed') offer(worker);
      });
    });
  } catch (error) {
    // A page that works online only is still a page.
    console.warn('carom will not work offline:', error);
  }
}
