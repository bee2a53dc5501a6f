// Keeps the picture fixed to the device's glass while the page turns with the device.
//
// Falling Bricks needs that: turning the device must change where gravity points in the picture, not turn the
// picture. Where the browser can lock the orientation nothing is left to do. Where it cannot (iPhones), the
// picture is turned back by a style, and positions of fingers are turned with it.

import { screenAngle } from './sensors.js';

/** The events by which the app learns of positions, and on which it listens. */
const POINTER_EVENTS = ['pointerdown', 'pointermove', 'pointerup', 'mousedown', 'mousemove', 'mouseup', 'wheel'];
const TOUCH_EVENTS = ['touchstart', 'touchmove', 'touchend', 'touchcancel'];

/** The styles set for a turned picture, as they are for one that is not. */
const AS_EVER = { left: '', top: '', width: '', height: '', transform: '' };

/**
 * Where a point of the page lies in a picture that was turned back.
 *
 * The page is `width` by `height`; its picture was turned counter-clockwise by `turn` degrees about the centre,
 * and has its own origin in its own top left corner.
 */
export function inPicture({ x, y }, turn, width, height) {
  switch (turn) {
    case 90:
      return { x: height - y, y: x };
    case 180:
      return { x: width - x, y: height - y };
    case 270:
      return { x: y, y: width - x };
    default:
      return { x, y };
  }
}

/** A picture that keeps the orientation the page has now. */
export class Upright {
  #home = screenAngle();
  #canvas;
  #turn = 0;
  #own = new WeakSet();

  constructor(canvas) {
    this.#canvas = canvas;
    const follow = () => this.#follow();
    screen.orientation?.addEventListener?.('change', follow);
    window.addEventListener('orientationchange', follow);
    window.addEventListener('resize', follow);
    for (const name of [...POINTER_EVENTS, ...TOUCH_EVENTS]) {
      window.addEventListener(name, (event) => this.#translate(event), { capture: true, passive: false });
    }
  }

  /** How the picture's frame is turned against the device's, in degrees. */
  angle() {
    return this.#home;
  }

  /** Turns the picture back by as much as the page has turned. */
  #follow() {
    this.#turn = (((screenAngle() - this.#home) % 360) + 360) % 360;
    const sideways = this.#turn % 180 !== 0;
    const { clientWidth, clientHeight } = document.documentElement;
    Object.assign(this.#canvas.style, this.#turn === 0 ? AS_EVER : {
      left: '50%',
      top: '50%',
      width: `${sideways ? clientHeight : clientWidth}px`,
      height: `${sideways ? clientWidth : clientHeight}px`,
      transform: `translate(-50%, -50%) rotate(${-this.#turn}deg)`,
    });
  }

  /** Replaces an event by one at the place in the picture. */
  #translate(event) {
    if (this.#turn === 0 || this.#own.has(event)) return;
    event.stopImmediatePropagation();
    const copy = TOUCH_EVENTS.includes(event.type) ? this.#touchCopy(event) : this.#pointerCopy(event);
    this.#own.add(copy);
    if (!event.target.dispatchEvent(copy) && event.cancelable) event.preventDefault();
  }

  #pointerCopy(event) {
    const { x, y } = this.#place(event);
    // What an event says is on its prototype, where a copy by spreading would not find it.
    const { bubbles, cancelable, composed, button, buttons, ctrlKey, shiftKey, altKey, metaKey } = event;
    const { pointerId, pointerType, isPrimary, deltaX, deltaY, deltaMode } = event;
    return new event.constructor(event.type, {
      bubbles, cancelable, composed, button, buttons, ctrlKey, shiftKey, altKey, metaKey,
      pointerId, pointerType, isPrimary, deltaX, deltaY, deltaMode,
      clientX: x, clientY: y, view: window,
    });
  }

  /** Not every browser lets a page make touches; the app reads fields only, so plain objects will do. */
  #touchCopy(event) {
    const copy = new Event(event.type, { bubbles: true, cancelable: event.cancelable });
    for (const list of ['touches', 'targetTouches', 'changedTouches']) {
      const touches = [...event[list]].map((touch) => {
        const { x, y } = this.#place(touch);
        return { identifier: touch.identifier, force: touch.force, clientX: x, clientY: y };
      });
      touches.item = (index) => touches[index] ?? null;
      Object.defineProperty(copy, list, { value: touches });
    }
    return copy;
  }

  /** The app subtracts the corner of the box around the turned picture, so it is added here. */
  #place({ clientX, clientY }) {
    const box = this.#canvas.getBoundingClientRect();
    const point = { x: clientX - box.left, y: clientY - box.top };
    const { x, y } = inPicture(point, this.#turn, box.width, box.height);
    return { x: x + box.left, y: y + box.top };
  }
}
