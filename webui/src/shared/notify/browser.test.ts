import { afterEach, expect, it, vi } from 'vitest';
import { browserName, Refused, subscribe } from './browser';

afterEach(() => vi.unstubAllGlobals());

it.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0 Safari/537.36 Edg/142.0',
    'Edge, Windows',
  ],
  ['Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0', 'Firefox, Android'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari, iPhone',
  ],
  ['something', 'This browser'],
])('names %s', (agent, name) => {
  expect(browserName(agent, 'This browser')).toBe(name);
});

/** browser is one with a worker and a push service that knows these subscriptions. */
function browser(permission: NotificationPermission, known: { unsubscribe: () => Promise<boolean> } | null) {
  let held = known;
  const pushManager = {
    subscribe: vi.fn((options: { applicationServerKey: Uint8Array }) => {
      if (held) return Promise.reject(new DOMException('another key', 'InvalidStateError'));
      expect([...options.applicationServerKey]).toEqual([4, 251, 255]);
      return Promise.resolve({
        endpoint: 'https://push.example/1',
        toJSON: () => ({ keys: { p256dh: 'BPub', auth: 'auth' } }),
      });
    }),
    getSubscription: () =>
      Promise.resolve(
        held && {
          unsubscribe: () => {
            held = null;
            return Promise.resolve(true);
          },
        },
      ),
  };
  vi.stubGlobal('Notification', { requestPermission: () => Promise.resolve(permission) });
  vi.stubGlobal('navigator', { serviceWorker: { getRegistration: () => Promise.resolve({ pushManager }) } });
  return pushManager;
}

const channel = { type: 'push', address: 'https://push.example/1', secret: 'BPub.auth' };

it('subscribes by the key of the server, also where another key was known', async () => {
  browser('granted', null);
  await expect(subscribe('BPv_')).resolves.toEqual(channel);
  const push = browser('granted', { unsubscribe: () => Promise.resolve(true) });
  await expect(subscribe('BPv_')).resolves.toEqual(channel);
  expect(push.subscribe).toHaveBeenCalledTimes(2);
});

it('subscribes nobody who does not want it', async () => {
  const push = browser('denied', null);
  await expect(subscribe('BPv_')).rejects.toBeInstanceOf(Refused);
  expect(push.subscribe).not.toHaveBeenCalled();
});
