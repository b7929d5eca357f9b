import type { ChannelDraft } from '../../api/admin/channels';

/** canPush says whether this browser can be told things while no page of ours is open. */
export const canPush = () =>
  isSecureContext &&
  'Notification' in globalThis &&
  'PushManager' in globalThis &&
  'serviceWorker' in navigator;

const worker = async () => navigator.serviceWorker.getRegistration();

/** pushAddress is where this browser is reached, if it is subscribed. */
export async function pushAddress(): Promise<string | undefined> {
  if (!canPush()) return undefined;
  const subscription = await (await worker())?.pushManager.getSubscription();
  return subscription?.endpoint;
}

const bytes = (base64url: string) =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

/** Refused says that the person or the browser wants no notifications. */
export class Refused extends Error {}

/** subscribe has this browser told, by the key of the server; it asks the person, so only a click may call it. */
export async function subscribe(key: string): Promise<Pick<ChannelDraft, 'type' | 'address' | 'secret'>> {
  if ((await Notification.requestPermission()) !== 'granted') throw new Refused();
  const push = (await worker())?.pushManager;
  if (!push) throw new Refused();
  const options = { userVisibleOnly: true, applicationServerKey: bytes(key) };
  const made = await push.subscribe(options).catch(async () => {
    // It is subscribed by the key of a server that was here before.
    await (await push.getSubscription())?.unsubscribe();
    return push.subscribe(options);
  });
  const { keys } = made.toJSON();
  return { type: 'push', address: made.endpoint, secret: `${keys?.p256dh ?? ''}.${keys?.auth ?? ''}` };
}

const browsers = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;

const systems = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
] as const;

/** browserName is what tells this browser from others of the same person, such as "Firefox, Android". */
export function browserName(agent: string, other: string): string {
  const find = (of: readonly (readonly [RegExp, string])[]) => of.find(([mark]) => mark.test(agent))?.[1];
  return [find(browsers), find(systems)].filter(Boolean).join(', ') || other;
}
