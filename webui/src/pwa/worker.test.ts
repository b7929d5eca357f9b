import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/** A worker as the browser shows it. */
class Worker extends EventTarget {
  state = 'installed';
  readonly asked: unknown[] = [];
  postMessage = (message: unknown) => this.asked.push(message);
}

class Registration extends EventTarget {
  installing: Worker | null = null;
  waiting: Worker | null = null;
  active: Worker | null = null;
  update = () => Promise.resolve();
}

/** Nobody answers in it. */
class NoOtherTab extends EventTarget {
  postMessage = () => undefined;
}

const hour = 60 * 60_000;

/** The poll of §9, in milliseconds. */
const pollEvery = 5000;

let registration: Registration;

/** start begins with a fresh page, as it is after a load. */
async function start() {
  vi.resetModules();
  const { appState, later, startWorker, update } = await import('./worker');
  await startWorker();
  return { card: () => appState.get().card, later, update };
}

/** poll lets the page look at what is in memory. */
const poll = () => vi.advanceTimersByTimeAsync(pollEvery);

/** pass moves the clock on. */
const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  vi.stubGlobal('BroadcastChannel', NoOtherTab);
  registration = new Registration();
  const container = new EventTarget();
  const register = () => Promise.resolve(registration);
  Object.defineProperty(navigator, 'serviceWorker', {
    configurable: true,
    value: Object.assign(container, { controller: null, register }),
  });
});

afterEach(() => {
  vi.clearAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, 'serviceWorker');
});

test('the first version, which waits for a moment before it begins, is not offered as a newer one', async () => {
  registration.waiting = new Worker();
  const { card } = await start();
  await poll();
  expect(card()).toBe('none');
});

test('a newer version is offered, after "Later" not for a day, and begins only when it is asked to', async () => {
  registration.active = new Worker();
  const newer = new Worker();
  registration.waiting = newer;
  const { card, later } = await start();
  expect(card()).toBe('update');
  later();
  expect(card()).toBe('none');
  pass(23 * hour);
  await poll();
  expect(card()).toBe('none');
  pass(hour);
  await poll();
  expect(card()).toBe('update');
  expect(newer.asked).toEqual([]);

  const again = await start();
  expect(again.card()).toBe('update');
  again.update();
  await poll();
  expect(newer.asked).toEqual([{ type: 'SKIP_WAITING' }]);
});

test('the installation is offered when the browser does, after "Later" not for a week', async () => {
  const { card, later } = await start();
  expect(card()).toBe('none');
  const offer = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
    prompt: () => Promise.resolve(),
  });
  dispatchEvent(offer);
  expect(offer.defaultPrevented).toBe(true);
  expect(card()).toBe('install');
  later();
  pass(7 * 24 * hour - pollEvery - 1);
  await poll();
  expect(card()).toBe('none');
  await poll();
  expect(card()).toBe('install');
});
