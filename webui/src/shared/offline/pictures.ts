import { config } from '../../config';
import { accountOf, visitorAccount } from './account';
import { cacheNames } from './cacheNames';

/** Small pictures that are kept on this device, and for how long in milliseconds. */
const most = 300;
const keptFor = 7 * 24 * 60 * 60_000;

const atHeader = 'X-Kept-At';

/** The version of a file that a picture belongs to; without an etag nothing is kept. */
interface Version {
  path: string;
  etag?: string | undefined;
}

const able = () => 'caches' in globalThis;

const addressOf = (account: string, { path, etag }: Version) =>
  `${config.basePath}/thumbnails/${encodeURIComponent(account)}${encodeURI(path)}?etag=${encodeURIComponent(etag ?? '')}`;

/** recallPicture gives the small picture that this account has seen of this very version. */
export async function recallPicture(version: Version): Promise<Blob | undefined> {
  if (!version.etag || !able()) return undefined;
  const cache = await caches.open(cacheNames.pictures);
  const found = await cache.match(addressOf(accountOf(), version));
  if (!found || Date.now() - Number(found.headers.get(atHeader)) > keptFor) return undefined;
  return found.blob();
}

/** keepPicture keeps a small picture for the account that has seen it. */
export async function keepPicture(version: Version, blob: Blob): Promise<void> {
  const account = accountOf();
  if (!version.etag || !able() || account === visitorAccount) return;
  const cache = await caches.open(cacheNames.pictures);
  const headers = {
    'Content-Type': blob.type,
    [atHeader]: String(Date.now()),
  };
  // Whoever has signed out meanwhile leaves nothing behind.
  if (accountOf() !== account) return;
  await cache.put(addressOf(account, version), new Response(blob, { headers }));
  const keys = await cache.keys();
  await Promise.all(keys.slice(0, Math.max(0, keys.length - most)).map((key) => cache.delete(key)));
}
