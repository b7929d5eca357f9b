import { config } from '../../config';
import { accountOf, visitorAccount } from './account';
import { cacheNames } from './cacheNames';

/** Small pictures that are kept on this device, and for how long in milliseconds. */
const most = 300;
const keptFor = 7 * 24 * 60 * 60_000;

const atHeader = 'X-Kept-At';
const ratioHeader = 'X-Ratio';

/** A small picture and its width by its height. */
export interface Picture {
  blob: Blob;
  ratio: number;
}

/** The version of a file that a picture belongs to; without an etag nothing is kept. */
interface Version {
  path: string;
  etag?: string | undefined;
}

const able = () => 'caches' in globalThis;

const addressOf = (account: string, { path, etag }: Version) =>
  `${config.basePath}/thumbnails/${encodeURIComponent(account)}${encodeURI(path)}?etag=${encodeURIComponent(etag ?? '')}`;

/** recallPicture gives the small picture that this account has seen of this very version. */
export async function recallPicture(version: Version): Promise<Picture | undefined> {
  if (!version.etag || !able()) return undefined;
  const cache = await caches.open(cacheNames.pictures);
  const found = await cache.match(addressOf(accountOf(), version));
  if (!found || Date.now() - Number(found.headers.get(atHeader)) > keptFor) return undefined;
  return { blob: await found.blob(), ratio: Number(found.headers.get(ratioHeader)) || 1 };
}

/** keepPicture keeps a small picture for the account that has seen it. */
export async function keepPicture(version: Version, { blob, ratio }: Picture): Promise<void> {
  const account = accountOf();
  if (!version.etag || !able() || account === visitorAccount) return;
  const cache = await caches.open(cacheNames.pictures);
  const headers = {
    'Content-Type': blob.type,
    [atHeader]: String(Date.now()),
    [ratioHeader]: String(ratio),
  };
  // Whoever has signed out meanwhile leaves nothing behind.
  if (accountOf() !== account) return;
  await cache.put(addressOf(account, version), new Response(blob, { headers }));
  const keys = await cache.keys();
  await Promise.all(keys.slice(0, Math.max(0, keys.length - most)).map((key) => cache.delete(key)));
}
