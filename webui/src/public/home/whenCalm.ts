let composing = false;
if (typeof document !== 'undefined') {
  document.addEventListener('compositionstart', () => (composing = true), true);
  document.addEventListener('compositionend', () => (composing = false), true);
}

/** whenCalm waits until no input method is at work. */
export function whenCalm(): Promise<void> {
  if (!composing) return Promise.resolve();
  return new Promise((done) => {
    document.addEventListener('compositionend', () => setTimeout(done), { once: true, capture: true });
  });
}
