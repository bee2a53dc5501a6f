// The built page in a real browser. Build first: `cargo build -p carom`, `scripts/web`.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bricks, BUILDS, CAROM, DIST, launch, meanHeight, NO_GL, onCanvas, PICTURES, requireBuilt, ROOT, Served, settledTowards, Visit } from './support.mjs';

const DESKTOP = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

/** Gravity's direction on the screen for each way to hold a phone upright, and the angles that say so. */
const SIDES = {
  'on its foot': { angles: { alpha: 10, beta: 90, gamma: 0 }, direction: [0, -1] },
  'on its left edge': { angles: { alpha: 100, beta: 0, gamma: -89.9 }, direction: [-1, 0] },
  'on its head': { angles: { alpha: 200, beta: -90, gamma: 0 }, direction: [0, 1] },
  'on its right edge': { angles: { alpha: 359, beta: 0, gamma: 89.9 }, direction: [1, 0] },
};

let browser;
let served;

before(async () => {
  requireBuilt();
  [browser, served] = await Promise.all([launch(), Served.folder(DIST)]);
});

after(async () => {
  await browser?.close();
  await served?.stop();
});

/** A fresh profile for one test. */
async function inContext(options, act, theBrowser = browser) {
  const context = await theBrowser.newContext(options);
  context.setDefaultTimeout(120_000);
  try {
    await act(context);
  } finally {
    await context.close();
  }
}

for (const colorScheme of ['light', 'dark']) {
  test(`the viewer runs on a ${colorScheme} desktop`, async () => {
    await inContext({ ...DESKTOP, colorScheme }, async (context) => {
      const visit = await Visit.to(context, served.url);
      await visit.running();
      const first = await visit.state();
      assert.equal(first.scene, 'falling_bricks');
      assert.equal(bricks(first).length, 6);
      const later = await visit.until((state) => state.frame > first.frame + 20 && state.step > first.step + 20, 'frames and steps');
      assert.ok(later.time > first.time);
      await visit.picture(`desktop-${colorScheme}-falling`);
      await visit.until(settledTowards([0, -1]), 'the bricks at rest');
      await visit.picture(`desktop-${colorScheme}-rest`);
      await visit.end();
    });
  });
}

test('a brick follows the mouse that drags it', async () => {
  await inContext(DESKTOP, async (context) => {
    const visit = await Visit.to(context, served.url);
    await visit.running();
    const rest = await visit.until(settledTowards([0, -1]), 'the bricks at rest');
    const brick = highest(rest);
    const from = onCanvas(rest, brick.x, brick.y);
    const to = onCanvas(rest, 0, 3);
    await visit.page.mouse.move(from.x, from.y);
    await visit.page.mouse.down();
    await visit.page.mouse.move(to.x, to.y, { steps: 12 });
    const distance = (state) => {
      const now = state.bodies.find((body) => body.id === brick.id);
      return Math.hypot(now.x - 0, now.y - 3);
    };
    await visit.until((state) => distance(state) < 0.6, 'the brick at the mouse', 15);
    await visit.picture('desktop-drag');
    await visit.page.mouse.up();
    await visit.until((state) => distance(state) > 1.5, 'the brick falling again', 15);
    await visit.end();
  });
});

test('the address names the scene, both ways', async () => {
  await inContext(DESKTOP, async (context) => {
    const visit = await Visit.to(context, `${served.url}#pyramid`);
    await visit.running();
    assert.equal((await visit.state()).scene, 'pyramid');
    await visit.page.evaluate(() => { location.hash = 'dominoes'; });
    await visit.until((state) => state.scene === 'dominoes', 'the scene of the new address');
    await visit.picture('desktop-dominoes');
    await visit.page.evaluate(() => window.carom.app.open('stack'));
    await visit.page.waitForURL(/#stack$/);
    await visit.page.goBack();
    await visit.until((state) => state.scene === 'dominoes', 'the scene before');
    await visit.page.evaluate(() => { location.hash = 'no_such_scene'; });
    await visit.page.waitForURL(/#dominoes$/);
    await visit.picture('desktop-unknown-scene');
    assert.equal((await visit.state()).scene, 'dominoes');
    await visit.end();
  });
});

test('the viewer runs on a phone, and a finger drags', async () => {
  await inContext(PHONE, async (context) => {
    const visit = await Visit.to(context, served.url);
    await visit.running();
    const rest = await visit.until(settledTowards([0, -1]), 'the bricks at rest');
    await visit.picture('phone-viewer');
    const brick = highest(rest);
    const from = onCanvas(rest, brick.x, brick.y);
    const to = onCanvas(rest, 0, 3);
    await drag(visit.page, from, to, async () => {
      await visit.until((state) => {
        const now = state.bodies.find((body) => body.id === brick.id);
        return Math.hypot(now.x, now.y - 3) < 0.6;
      }, 'the brick at the finger', 15);
    });
    // Dragging and pinching move things in the picture, never the page.
    assert.deepEqual(await visit.page.evaluate(() => [scrollX, scrollY, visualViewport.scale]), [0, 0, 1]);
    await visit.end();
  });
});

for (const colorScheme of ['light', 'dark']) {
  test(`Falling Bricks follows a ${colorScheme} phone onto all four sides and over`, async () => {
    await inContext({ ...PHONE, colorScheme }, async (context) => {
      const visit = await Visit.to(context, `${served.url}bricks.html`);
      await tapStart(visit, `phone-${colorScheme}-start`);
      const cdp = await context.newCDPSession(visit.page);
      assert.equal((await visit.state()).play, true);
      const all = ['on its foot', 'on its left edge', 'on its head', 'on its right edge', 'on its left edge', 'on its foot'];
      // Once is enough for the physics; the other theme is for the pictures.
      const order = colorScheme === 'light' ? all : ['on its left edge', 'on its head'];
      for (const [i, side] of order.entries()) {
        const { angles, direction } = SIDES[side];
        const before = meanHeight(await visit.state(), direction);
        await cdp.send('DeviceOrientation.setDeviceOrientationOverride', angles);
        const rest = await visit.until(settledTowards(direction), `the bricks at rest, the phone ${side}`);
        assert.ok(meanHeight(rest, direction) < 0.8 * before, `they fell from ${before} to ${meanHeight(rest, direction)}`);
        await visit.picture(`phone-${colorScheme}-${i + 1}-${side.replaceAll(' ', '-')}`);
      }
      await visit.end();
    });
  });
}

test('gravity is continuous: half tilted it is half as strong, flat on a table there is none', async () => {
  await inContext(PHONE, async (context) => {
    const visit = await Visit.to(context, `${served.url}bricks.html`);
    await tapStart(visit);
    const cdp = await context.newCDPSession(visit.page);
    const feels = async (angles, x, y) => {
      await cdp.send('DeviceOrientation.setDeviceOrientationOverride', { alpha: 0, ...angles });
      await visit.until(({ gravity }) => Math.hypot(gravity[0] - x, gravity[1] - y) < 0.2, `gravity ${x}, ${y}`, 10);
    };
    await feels({ beta: 30, gamma: 0 }, 0, -4.903);
    await feels({ beta: 0, gamma: 0 }, 0, 0);
    await feels({ beta: 45, gamma: -30 }, -3.467, -6.934);
    await visit.end();
  });
});

test('the viewer follows tilt, too, if its address asks for it', async () => {
  await inContext(PHONE, async (context) => {
    const visit = await Visit.to(context, `${served.url}?tilt#pyramid`);
    await tapStart(visit);
    const cdp = await context.newCDPSession(visit.page);
    await cdp.send('DeviceOrientation.setDeviceOrientationOverride', { alpha: 0, beta: 30, gamma: 0 });
    const state = await visit.until(({ gravity }) => Math.hypot(gravity[0], gravity[1] + 4.903) < 0.2, 'gravity 0, -4.9', 10);
    assert.deepEqual([state.scene, state.play], ['pyramid', false]);
    await visit.end();
  });
});

test('accelerations are preferred to angles', async () => {
  await inContext(PHONE, async (context) => {
    const visit = new Visit(await context.newPage());
    const cdp = await context.newCDPSession(visit.page);
    const send = (type, x, y, z) => cdp.send('Emulation.setSensorOverrideReadings', { type, reading: { xyz: { x, y, z } } });
    for (const type of ['accelerometer', 'linear-acceleration', 'gyroscope']) {
      await cdp.send('Emulation.setSensorOverrideEnabled', { enabled: true, type, metadata: { available: true } });
      await send(type, 0, 0, 0);
    }
    await visit.page.goto(`${served.url}bricks.html`);
    await tapStart(visit);
    // A phone held upright and shaken: the table pushes with 12 upwards and 3 to the left.
    await send('accelerometer', -3, 12, 1);
    await visit.until(({ gravity }) => Math.hypot(gravity[0] - 3, gravity[1] + 12) < 0.3, 'gravity 3, -12', 10);
    await visit.end();
  });
});

test('the picture stays as it is on the glass when the page turns, and fingers find the bricks', async () => {
  await inContext(PHONE, async (context) => {
    const visit = await Visit.to(context, `${served.url}bricks.html`);
    const cdp = await context.newCDPSession(visit.page);
    const turn = (width, height, type, angle) => cdp.send('Emulation.setDeviceMetricsOverride', {
      width, height, deviceScaleFactor: 2, mobile: true, screenOrientation: { type, angle },
    });
    // A browser that cannot lock, as on iPhones.
    await visit.page.evaluate(() => { screen.orientation.lock = () => Promise.reject(new Error('not here')); });
    await tapStart(visit);
    await cdp.send('DeviceOrientation.setDeviceOrientationOverride', SIDES['on its foot'].angles);
    const before = await visit.until(settledTowards([0, -1]), 'the bricks at rest');
    for (const [name, type, angle, side] of [
      ['left', 'landscapePrimary', 90, 'on its left edge'],
      ['right', 'landscapeSecondary', 270, 'on its right edge'],
    ]) {
      await turn(844, 390, type, angle);
      const { angles, direction } = SIDES[side];
      await cdp.send('DeviceOrientation.setDeviceOrientationOverride', angles);
      const state = await visit.until(settledTowards(direction), `the bricks at rest, the page turned ${name}`);
      // As the picture sees itself nothing has changed.
      assert.ok(Math.abs(state.view.width - before.view.width) < 2 && Math.abs(state.view.height - before.view.height) < 2, JSON.stringify(state.view));
      const brick = highest(state, direction);
      const toPage = ({ x, y }) => (angle === 90 ? { x: y, y: 390 - x } : { x: 844 - y, y: x });
      await drag(visit.page, toPage(onCanvas(state, brick.x, brick.y)), toPage(onCanvas(state, 0, 0)), async () => {
        await visit.until((now) => {
          const { x, y } = now.bodies.find((body) => body.id === brick.id);
          return Math.hypot(x, y) < 0.7;
        }, `the brick at the finger, the page turned ${name}`, 15);
        await visit.picture(`phone-turned-${name}`);
      });
    }
    await turn(390, 844, 'portraitPrimary', 0);
    await cdp.send('DeviceOrientation.setDeviceOrientationOverride', SIDES['on its foot'].angles);
    await visit.until(settledTowards([0, -1]), 'the bricks at rest, the page turned back');
    await visit.end();
  });
});

test('arrow keys turn gravity where there is no sensor', async () => {
  await inContext(DESKTOP, async (context) => {
    const visit = await Visit.to(context, `${served.url}bricks.html`);
    await visit.page.locator('#button').waitFor();
    await visit.page.keyboard.press('Enter');
    await visit.running();
    for (const [key, direction] of [['ArrowLeft', [-1, 0]], ['ArrowUp', [0, 1]], ['ArrowRight', [1, 0]], ['ArrowDown', [0, -1]]]) {
      await visit.page.keyboard.press(key);
      await visit.until(settledTowards(direction), `the bricks at rest after ${key}`);
    }
    await visit.picture('desktop-bricks');
    await visit.end();
  });
});

test('once loaded, the pages work without a server', async () => {
  const short = await Served.folder(DIST);
  await inContext(DESKTOP, async (context) => {
    const visit = await Visit.to(context, short.url);
    await visit.running();
    await visit.page.evaluate(() => navigator.serviceWorker.ready);
    await visit.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await short.stop();
    await visit.page.reload();
    await visit.running();
    const { step } = await visit.state();
    await visit.until((state) => state.step > step + 20, 'steps');
    // The root, and the other page, which was never visited.
    await visit.page.goto(`${short.url}?again#stack`);
    await visit.running();
    assert.equal((await visit.state()).scene, 'stack');
    await visit.page.goto(`${short.url}bricks.html`);
    await visit.page.locator('#button').click();
    await visit.running();
    // The browser itself asks now and then for a new worker, manifest or icon.
    assert.deepEqual(visit.complaints.filter((text) => !/worker|webmanifest|icons/.test(text)), []);
    await visit.page.close();
  });
  await short.stop();
});

test('a new version is offered, and comes whole', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'carom-web-'));
  // The page's sources with a change, packed beside the module that is there already.
  const pack = (change) => {
    const source = join(folder, 'web');
    cpSync(join(ROOT, 'web'), source, { recursive: true, filter: (path) => !/node_modules|dist/.test(path) });
    const style = join(source, 'app', 'style.css');
    writeFileSync(style, readFileSync(style, 'utf8') + change);
    execFileSync('node', [join(source, 'pack.js'), join(BUILDS, 'page'), join(folder, 'site')]);
  };
  pack('');
  const short = await Served.folder(join(folder, 'site'));
  await inContext(DESKTOP, async (context) => {
    const visit = await Visit.to(context, short.url);
    await visit.running();
    await visit.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    assert.equal(await visit.page.locator('#news').isVisible(), false);
    pack(':root { --changed: 1; }');
    const changed = () => getComputedStyle(document.documentElement).getPropertyValue('--changed').trim();
    // Reloading shows the version that is kept, whole, and finds the new one.
    await visit.page.reload();
    await visit.running();
    assert.equal(await visit.page.evaluate(changed), '');
    await visit.page.locator('#news').waitFor();
    await visit.picture('desktop-news');
    await Promise.all([visit.page.waitForEvent('load'), visit.page.locator('#news button').click()]);
    await visit.running();
    assert.equal(await visit.page.evaluate(changed), '1');
    assert.equal((await visit.page.evaluate(() => caches.keys())).length, 1);
    await visit.end();
  });
  await short.stop();
  rmSync(folder, { recursive: true });
});

test('says what is missing: WebGL', async () => {
  const blind = await launch(NO_GL);
  await inContext(PHONE, async (context) => {
    const visit = await Visit.to(context, served.url);
    await expectFailure(visit, /cannot draw with WebGL/, 'phone-no-webgl');
    await visit.end({ failed: true });
  }, blind);
  await blind.close();
});

test('says what is missing: WebAssembly, and its vectors', async () => {
  for (const [name, script, words] of [
    ['no-wasm', () => { delete globalThis.WebAssembly; }, /cannot run WebAssembly/],
    ['no-simd', () => { WebAssembly.validate = () => false; }, /too old/],
  ]) {
    await inContext(PHONE, async (context) => {
      await context.addInitScript(script);
      const visit = await Visit.to(context, served.url);
      await expectFailure(visit, words, `phone-${name}`);
      await visit.end({ failed: true });
    });
  }
});

test('says what is missing: JavaScript', async () => {
  await inContext({ ...PHONE, javaScriptEnabled: false }, async (context) => {
    const visit = await Visit.to(context, served.url);
    await visit.page.locator('noscript').waitFor();
    assert.match(await visit.page.locator('noscript').innerHTML(), /please allow JavaScript/);
    await visit.page.screenshot({ path: join(PICTURES, 'phone-no-javascript.png') });
    await visit.end({ failed: true });
  });
});

test('says that the module cannot be had, and how far it is while it comes', async () => {
  await inContext(PHONE, async (context) => {
    let release;
    const held = new Promise((resolve) => { release = resolve; });
    await context.route('**/*.wasm', async (route) => {
      await held;
      await route.fulfill({ status: 500, body: 'no' });
    });
    const visit = await Visit.to(context, served.url);
    await visit.page.getByText(/^0\.0 of \d+\.\d MB$/).waitFor();
    await visit.page.screenshot({ path: join(PICTURES, 'phone-loading.png') });
    release();
    await expectFailure(visit, /could not be loaded/, 'phone-no-module');
    assert.match(await visit.page.locator('#detail').innerText(), /500/);
    await visit.page.close();
  });
});

test('says that it has stopped when it has, or lost its graphics', async () => {
  await inContext(PHONE, async (context) => {
    let visit = await Visit.to(context, served.url);
    await visit.running();
    await visit.page.evaluate(() => { setTimeout(() => { throw new WebAssembly.RuntimeError('unreachable'); }); });
    await expectFailure(visit, /carom has stopped/, 'phone-stopped');
    await visit.page.close();
    visit = await Visit.to(context, served.url);
    await visit.running();
    await visit.page.evaluate(() => document.getElementById('carom').getContext('webgl2').getExtension('WEBGL_lose_context').loseContext());
    await expectFailure(visit, /graphics were lost/, 'phone-graphics-lost');
    await visit.page.close();
  });
});

test('a movie that carom made plays', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'carom-movie-'));
  const file = join(folder, 'bricks.mp4');
  execFileSync(CAROM, ['run', 'falling_bricks', '--seconds', '2', '--out', file]);
  const { size } = statSync(file);
  assert.ok(size > 10_000 && size < 4_000_000, `${size} bytes`);
  writeFileSync(join(folder, 'index.html'), '<!doctype html><link rel="icon" href="data:,"><video src="bricks.mp4" muted></video>');
  const short = await Served.folder(folder);
  await inContext(DESKTOP, async (context) => {
    const visit = await Visit.to(context, short.url);
    const movie = await visit.page.evaluate(async () => {
      const video = document.querySelector('video');
      await video.play();
      await new Promise((resolve, reject) => {
        video.addEventListener('ended', resolve);
        video.addEventListener('error', () => reject(new Error(video.error.message)));
      });
      const { totalVideoFrames } = video.getVideoPlaybackQuality();
      return { duration: video.duration, width: video.videoWidth, height: video.videoHeight, frames: totalVideoFrames };
    });
    assert.ok(Math.abs(movie.duration - 2) < 0.05, `${movie.duration} s`);
    assert.deepEqual([movie.width, movie.height], [1280, 720]);
    assert.ok(movie.frames >= 110, `${movie.frames} frames`);
    await visit.picture('movie');
    assert.deepEqual(visit.complaints, []);
  });
  await short.stop();
  rmSync(folder, { recursive: true });
});

/** Taps the button of Falling Bricks and waits until it runs. */
async function tapStart(visit, picture) {
  await visit.page.locator('#button').waitFor();
  if (picture) await visit.picture(picture);
  await visit.page.locator('#button').tap();
  await visit.running();
}

/** Moves a finger from one place of the page to another, and lifts it once something has happened. */
async function drag(page, from, to, happens) {
  const cdp = await page.context().newCDPSession(page);
  const touch = (type, points) => cdp.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  await touch('touchStart', [from]);
  await sleep(100);
  for (let i = 1; i <= 12; i += 1) {
    await touch('touchMove', [{ x: from.x + ((to.x - from.x) * i) / 12, y: from.y + ((to.y - from.y) * i) / 12 }]);
    await sleep(20);
  }
  await happens();
  await touch('touchEnd', []);
  await cdp.detach();
}

/** The brick that is farthest from the floor, so that nothing lies on it. */
function highest(state, [x, y] = [0, -1]) {
  return bricks(state).toSorted((a, b) => (a.x * x + a.y * y) - (b.x * x + b.y * y))[0];
}

/** The cover tells of a failure in these words, and offers to try again. */
async function expectFailure(visit, words, picture) {
  await visit.page.locator('#cover[data-failed]').waitFor();
  assert.match(await visit.page.locator('#cover').innerText(), words);
  assert.equal(await visit.page.locator('#button').innerText(), 'Reload');
  await visit.page.screenshot({ path: join(PICTURES, `${picture}.png`) });
}
