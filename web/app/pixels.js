// Keeps the size of the canvas honest.

/**
 * Browsers tell the size of an element in pixels of the screen, and the app draws in that size. While they
 * imitate another device some forget its scale there, and everything would be drawn several times too large.
 * Then that size is hidden, and the app multiplies by the scale itself.
 */
export async function checkPixels(element) {
  const entry = await new Promise((resolve) => {
    const observer = new ResizeObserver(([first]) => {
      observer.disconnect();
      resolve(first);
    });
    observer.observe(element);
  });
  const told = entry.devicePixelContentBoxSize?.[0]?.inlineSize;
  const expected = entry.contentRect.width * window.devicePixelRatio;
  if (told !== undefined && Math.abs(told - expected) > 2) {
    delete ResizeObserverEntry.prototype.devicePixelContentBoxSize;
  }
}
