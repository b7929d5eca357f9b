/** keepAwake asks that the screen stays on, so that a phone does not sleep in the middle of a transfer, until the answer is called. */
export function keepAwake(): () => void {
  if (!('wakeLock' in navigator)) return () => undefined;
  const over = new AbortController();
  let lock: WakeLockSentinel | undefined;

  function ask() {
    if (document.visibilityState === 'hidden') return;
    navigator.wakeLock.request('screen').then(
      (granted) => {
        if (over.signal.aborted) void granted.release();
        else lock = granted;
      },
      // Refused in power saving; the transfer goes on all the same.
      () => undefined,
    );
  }

  ask();
  // The browser takes it away when the page is hidden.
  document.addEventListener('visibilitychange', ask, { signal: over.signal });
  return () => {
    over.abort();
    void lock?.release();
  };
}
