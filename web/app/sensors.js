// Asks for the motion sensors and follows them.

import { differs, Tilt, toScreen } from './tilt.js';

/**
 * Asks for the sensors where that is needed. Must be called, without waiting for anything before it, in the
 * handler of a tap. Resolves to false if the user said no; true promises no sensor, only that nobody objects.
 */
export async function askForSensors() {
  const asked = [window.DeviceMotionEvent, window.DeviceOrientationEvent]
    .filter((kind) => typeof kind?.requestPermission === 'function')
    .map((kind) => kind.requestPermission());
  if (asked.length === 0) return true;
  const answers = await Promise.allSettled(asked);
  return answers.some((answer) => answer.value === 'granted');
}

/**
 * Calls `report` with gravity in the picture's frame whenever it changes, in m/s^2 with y up.
 * `angle` tells how the picture's frame is turned against the device's. Returns a function that ends it.
 */
export function followSensors(angle, report) {
  const tilt = new Tilt({ appleLike: isAppleLike() });
  let reported = null;
  const update = () => {
    const gravity = tilt.gravity(performance.now());
    if (!gravity) return;
    const inPlane = toScreen(gravity, angle());
    if (reported && !differs(reported, inPlane)) return;
    reported = inPlane;
    report(inPlane);
  };
  const onMotion = (event) => {
    if (tilt.acceleration(event.accelerationIncludingGravity, performance.now())) update();
  };
  const onAngles = (event) => {
    if (tilt.angles(event)) update();
  };
  window.addEventListener('devicemotion', onMotion);
  window.addEventListener('deviceorientation', onAngles);
  return () => {
    window.removeEventListener('devicemotion', onMotion);
    window.removeEventListener('deviceorientation', onAngles);
  };
}

/** How the page is turned against the device: 0, 90, 180 or 270 degrees. */
export function screenAngle() {
  return screen.orientation?.angle ?? window.orientation ?? 0;
}

/** A first guess only: where both sensors speak, they settle the sign between themselves. */
function isAppleLike() {
  return /Apple/.test(navigator.vendor ?? '') && 'ontouchstart' in window;
}
