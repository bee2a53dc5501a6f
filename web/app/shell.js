// Starts the app on a page, and stands between it and the browser: the address, the sensors, the full screen.
//
// The page says in its body's `data-` attributes what it is: `data-play` is Falling Bricks on the whole screen,
// without it the page is the viewer. `data-bytes` is the size of the module, which `scripts/web` fills in.

import { hideCover, showFailure, showLoading, showStart } from './cover.js';
import { load } from './load.js';
import { missing } from './needs.js';
import { keepOffline } from './offline.js';
import { checkPixels } from './pixels.js';
import { askForSensors, followSensors, screenAngle } from './sensors.js';
import { Upright } from './upright.js';

const canvas = document.getElementById('carom');
const play = document.body.dataset.play !== undefined;
const tilt = play || new URLSearchParams(location.search).has('tilt');

/** The running app, for the address bar, for tests, and for whoever opens the console. */
let app = null;

main();

async function main() {
  document.body.dataset.alive = '';
  const lack = missing();
  if (lack) {
    showFailure(...lack);
    return;
  }
  window.addEventListener('error', (event) => showFault(event.error));
  window.addEventListener('unhandledrejection', (event) => showFault(event.reason));
  canvas.addEventListener('webglcontextlost', () => {
    showFailure('The graphics were lost', 'The browser or the driver took them back. The page can be loaded again.');
  });
  const bytes = Number(document.body.dataset.bytes);
  let glue;
  try {
    showLoading(0, bytes);
    glue = await load(bytes, (received) => showLoading(received, bytes));
  } catch (error) {
    showFailure('carom could not be loaded', 'Check the connection and load the page again.', String(error));
    return;
  }
  keepOffline(document.getElementById('news'));
  try {
    await begin(glue);
  } catch (error) {
    showFault(error);
    showFailure('carom could not start', 'The page can be loaded again.', String(error));
  }
}

async function begin(glue) {
  app = new glue.WebApp();
  window.carom = { app, state: () => JSON.parse(app.state()) };
  if (tilt) {
    const text = 'Turn your device, and everything falls to the side that is down. Arrow keys and buttons do it, too.';
    await showStart(play ? 'Falling Bricks' : 'carom', text, 'Start', takeScreen);
  }
  await checkPixels(canvas);
  await app.start(canvas, sceneOfAddress(), play);
  if (tilt) follow();
  if (!play) followAddress();
  hideCover();
  canvas.focus({ preventScroll: true });
  document.body.dataset.running = '';
}

/** Everything that a browser grants only inside a tap, asked for before anything is waited for. */
async function takeScreen() {
  const sensors = askForSensors();
  if (play) {
    const whole = document.documentElement.requestFullscreen?.({ navigationUI: 'hide' });
    await Promise.allSettled([whole]);
    // Only a whole screen can be locked, and not on every device; `Upright` does what this cannot.
    await Promise.allSettled([screen.orientation?.lock?.(screen.orientation.type)]);
    keepAwake();
  }
  await Promise.allSettled([sensors]);
}

/** Nobody touches a screen while tilting it, so it must be kept from going dark. */
async function keepAwake() {
  const ask = () => navigator.wakeLock?.request('screen').catch(() => {});
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && ask());
  await ask();
}

/** Lets the device's tilt be gravity, for as long as the device has a sensor to tell it. */
function follow() {
  const upright = play ? new Upright(canvas) : null;
  followSensors(() => upright?.angle() ?? screenAngle(), ({ x, y }) => app.tilt(x, y));
}

/** The scene named behind the `#`, or none. */
function sceneOfAddress() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}

/** Opens what the address names, and names in the address what is open. */
function followAddress() {
  const show = () => {
    const scene = app.scene();
    if (scene && scene !== sceneOfAddress()) history.replaceState(null, '', `#${encodeURIComponent(scene)}`);
  };
  window.addEventListener('hashchange', () => {
    const name = sceneOfAddress();
    if (name && name !== app.scene()) app.open(name);
    show();
  });
  show();
  setInterval(() => {
    const scene = app.scene();
    if (scene && scene !== sceneOfAddress()) location.hash = encodeURIComponent(scene);
  }, 250);
}

/**
 * If what was thrown, and caught by nobody, has ended the app, says so. What the app said before it ended tells
 * more than the trap does. Anything else that is thrown on a page is none of the app's concern.
 */
function showFault(error) {
  const said = app?.failure() ?? (error instanceof WebAssembly.RuntimeError ? String(error) : null);
  if (said) showFailure('carom has stopped', 'This is a fault in carom. The page can be loaded again.', said);
}
