// What covers the picture while there is none: what is loading, what to tap, what went wrong.

const part = (name) => document.getElementById(name);

/** The page is loading; says how much of it is there. */
export function showLoading(received, total) {
  part('title').textContent = 'Loading';
  part('bar').hidden = false;
  part('bar').value = Math.min(1, received / total);
  part('text').textContent = `${megabytes(received)} of ${megabytes(total)} MB`;
}

/** All is there, and a tap starts it; resolves to what `begin`, called inside the tap, returns. */
export function showStart(title, text, label, begin) {
  part('title').textContent = title;
  part('text').textContent = text;
  part('bar').hidden = true;
  const button = part('button');
  button.textContent = label;
  button.hidden = false;
  // For keyboards; a finger finds it anyway, and needs no ring around it.
  if (!matchMedia('(pointer: coarse)').matches) button.focus({ preventScroll: true });
  return new Promise((resolve, reject) => {
    button.addEventListener('click', () => {
      button.hidden = true;
      Promise.resolve(begin()).then(resolve, reject);
    }, { once: true });
  });
}

/** It ended, for a reason that somebody can read; the first reason stays. */
export function showFailure(title, text, detail = '') {
  const cover = part('cover');
  if (cover.dataset.failed !== undefined) return;
  cover.dataset.failed = '';
  cover.hidden = false;
  part('bar').hidden = true;
  part('title').textContent = title;
  part('text').textContent = text;
  part('detail').textContent = detail;
  part('detail').hidden = detail === '';
  const button = part('button');
  button.textContent = 'Reload';
  button.hidden = false;
  button.addEventListener('click', () => location.reload(), { once: true });
}

/** The picture is there. */
export function hideCover() {
  part('cover').hidden = true;
}

function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}
