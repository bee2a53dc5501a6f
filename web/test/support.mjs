// What the browser tests share: a server, a browser, and questions about the running app.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

/** The repository. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
/** Where cargo builds; a relative folder is one of the repository, as in scripts/web. */
export const BUILDS = resolve(ROOT, process.env.CARGO_TARGET_DIR || 'target');
/** The program under test. */
export const CAROM = process.env.CAROM ?? join(BUILDS, 'debug', 'carom');
/** The built page. */
export const DIST = join(ROOT, 'web', 'dist');
/** Where pictures go, for people to look at. */
export const PICTURES = join(BUILDS, 'browser');

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** How long an app that does nothing is waited for. */
const MINUTES = 4;

/** Everything off that talks to the world outside. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu-sandbox',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** WebGL without a graphics card. */
export const SOFTWARE_GL = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
/** No WebGL at all. */
export const NO_GL = ['--disable-gpu', '--disable-3d-apis'];

/** Says what to run first if something is not there, and makes room for new pictures. */
export function requireBuilt() {
  rmSync(PICTURES, { recursive: true, force: true });
  mkdirSync(PICTURES, { recursive: true });
  for (const [path, command] of [[CAROM, 'cargo build -p carom'], [join(DIST, 'index.html'), 'scripts/web'], [CHROMIUM, 'scripts/setup']]) {
    assert.ok(existsSync(path), `${path} is missing: run ${command}`);
  }
}

export function launch(graphics = SOFTWARE_GL) {
  return chromium.launch({ executablePath: CHROMIUM, args: [...QUIET, ...graphics] });
}

/** `carom serve` with a port of its own choice. */
export class Served {
  static async folder(folder) {
    const program = spawn(CAROM, ['serve', '--port', '0', folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface(program.stdout), 'line');
    const url = line.match(/http:\/\/\S+/)?.[0];
    assert.ok(url, `no address in ${line}`);
    return new Served(program, url);
  }

  constructor(program, url) {
    this.program = program;
    this.url = url;
  }

  async stop() {
    if (this.program.exitCode === null && this.program.signalCode === null) {
      this.program.kill();
      await once(this.program, 'exit');
    }
  }
}

/** A page that remembers every complaint of the browser. */
export class Visit {
  static async to(context, url) {
    const visit = new Visit(await context.newPage());
    await visit.page.goto(url);
    return visit;
  }

  constructor(page) {
    this.page = page;
    this.complaints = [];
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(`${message.text()} ${message.location().url}`.trimEnd());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
  }

  /** Waits until the app runs. */
  async running() {
    await this.page.locator('body[data-running]').waitFor({ timeout: MINUTES * 60_000 }).catch(async (error) => {
      throw new Error(`the app does not run: ${await this.page.locator('#cover').innerText()}`, { cause: error });
    });
    await this.until((state) => state?.frame > 2 && state.view, 'the first frames');
  }

  state() {
    return this.page.evaluate(() => window.carom.state());
  }

  /**
   * Waits until the state is as asked, and returns it. The limit is in seconds of simulated time, so that a busy
   * machine takes longer and fails no more often; an app that stands still has some minutes.
   */
  async until(holds, what, seconds = 20) {
    const end = Date.now() + MINUTES * 60_000;
    let [simulated, before] = [0, Infinity];
    for (;;) {
      const state = await this.state();
      if (holds(state)) return state;
      simulated += Math.max(0, (state?.time ?? 0) - before);
      before = state?.time ?? Infinity;
      if (simulated > seconds || Date.now() > end) {
        assert.fail(`not within ${seconds} simulated seconds: ${what}\n${JSON.stringify(state)}`);
      }
      await sleep(50);
    }
  }

  async picture(name) {
    // Two frames, so that what was just asked for is in the picture.
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    return this.page.screenshot({ path: join(PICTURES, `${name}.png`) });
  }

  /** Nothing was complained about, neither to the console nor to the user; then the page is closed. */
  async end({ failed = false } = {}) {
    assert.deepEqual(this.complaints, []);
    assert.equal(await this.page.locator('#cover').isVisible(), failed, 'the cover');
    await this.page.close();
  }
}

/** The bodies that move. */
export function bricks(state) {
  return state.bodies.filter((body) => body.kind === 'Dynamic');
}

/** Where a point of the world is on the canvas, in CSS pixels. */
export function onCanvas({ view }, x, y) {
  return {
    x: view.left + view.width / 2 + (x - view.center[0]) * view.pixels_per_metre,
    y: view.top + view.height / 2 - (y - view.center[1]) * view.pixels_per_metre,
  };
}

/** Whether all bricks are asleep, piled up from the wall towards which gravity points. */
export function settledTowards(direction) {
  const along = (body) => body.x * direction[0] + body.y * direction[1];
  return (state) => {
    const [gx, gy] = state.gravity;
    const strength = Math.hypot(gx, gy);
    if (strength < 5 || (gx * direction[0] + gy * direction[1]) / strength < 0.99) return false;
    if (bricks(state).some((brick) => brick.awake || Math.hypot(brick.vx, brick.vy) > 0.02)) return false;
    const floor = Math.max(...state.bodies.filter((body) => body.kind === 'Fixed').map(along));
    const heights = bricks(state).map((brick) => floor - along(brick)).sort((a, b) => a - b);
    // Half of the longest brick is 1.3, of the wall 0.1: one lies on the floor, and none hangs in the air.
    return heights.every((height, i) => height - (i === 0 ? 0 : heights[i - 1]) < (i === 0 ? 1.45 : 2.7));
  };
}

/** How far the bricks are from the wall towards which gravity points, on average. */
export function meanHeight(state, direction) {
  const heights = bricks(state).map((brick) => 5 - brick.x * direction[0] - brick.y * direction[1]);
  return heights.reduce((sum, height) => sum + height, 0) / heights.length;
}
