import {
  urlAbort,
  urlCancel,
  urlCommit,
  urlComplete,
  urlInit,
  urlPresign,
  urlProxy,
  type UrlInfo,
  type UrlParts,
  type UrlRequest,
} from '../../api/urls';
import { UploadError } from './errors';
import { uploadMultipart } from './multipart';
import { inPartsFrom, partSizeFor } from './parts';
import { partTimeout, putBytes } from './put';
import { headersFor } from './share';

/** Bytes of a download that are kept in memory before they become a blob. */
const heldAtMost = 8 << 20;

/** RemoteStep is how far a file from an address is. */
export interface RemoteStep {
  stage: 'direct' | 'proxied' | 'uploading' | 'completing';
  /** 0 to 100: the download is the first half, the upload the second (§4). */
  percent: number;
  /** Bytes of the present stage. */
  moved: number;
  /** Bytes of the file, once all of it is here. */
  size?: number;
}

export type RemoteMethod = 'auto' | 'single' | 'parts';

interface RemoteHooks {
  signal: AbortSignal;
  onStep: (step: RemoteStep) => void;
}

/** RemoteShare is what came of it. */
interface RemoteShare {
  id: string;
  slug: string;
}

/** Terms of the share, without what follows from the file. */
export type RemoteTerms = Omit<UrlRequest, 'url' | 'size' | 'metadata'>;

/**
 * shareRemote makes a share of what an address holds: download, upload, commit.
 * The site is asked directly first, then through the server.
 *
 * What failed or was cancelled leaves nothing behind. Rejects with ApiError or
 * UploadError.
 */
export async function shareRemote(
  info: UrlInfo,
  terms: RemoteTerms,
  method: RemoteMethod,
  hooks: RemoteHooks,
): Promise<RemoteShare> {
  try {
    const body = await download(info, hooks);
    const request: UrlRequest = {
      ...terms,
      url: info.url,
      size: body.size,
      metadata: { filename: info.filename, contentType: info.contentType, size: body.size },
    };
    const onProgress = (moved: number) =>
      hooks.onStep({ stage: 'uploading', percent: 50 + share(moved, body.size), moved, size: body.size });
    onProgress(0);
    const inParts = method === 'parts' || (method === 'auto' && body.size >= inPartsFrom);
    return await (inParts
      ? sendParts(body, request, hooks, onProgress)
      : sendWhole(body, request, hooks, onProgress));
  } catch (error) {
    throw hooks.signal.aborted ? new UploadError('aborted') : error;
  }
}

/** share is a part of 49 percent; a file of unknown or no size counts as not begun. */
const share = (moved: number, size: number | null) =>
  size ? Math.min(49, Math.floor((moved / size) * 49)) : 0;

async function download(info: UrlInfo, hooks: RemoteHooks): Promise<Blob> {
  try {
    return await read(info.url, 'direct', info, hooks);
  } catch (error) {
    if (hooks.signal.aborted) throw error;
    try {
      return await read(urlProxy(info.url), 'proxied', info, hooks);
    } catch (proxied) {
      throw proxied instanceof UploadError && !hooks.signal.aborted
        ? new UploadError('fetch', proxied.status)
        : proxied;
    }
  }
}

async function read(
  address: string,
  stage: 'direct' | 'proxied',
  info: UrlInfo,
  { signal, onStep }: RemoteHooks,
): Promise<Blob> {
  onStep({ stage, percent: 0, moved: 0 });
  const answer = await fetch(address, { signal, credentials: 'omit', referrerPolicy: 'no-referrer' }).catch(
    () => undefined,
  );
  if (!answer) throw new UploadError('network');
  if (!answer.ok) throw new UploadError('http', answer.status);
  // The browser keeps large blobs on its disk, but chunks in memory.
  const blobs: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let held = 0;
  let moved = 0;
  const reader = answer.body?.getReader();
  for (;;) {
    const next = await reader?.read().catch(() => Promise.reject(new UploadError('network')));
    if (!next || next.done) return new Blob([...blobs, ...chunks], { type: info.contentType });
    chunks.push(next.value);
    moved += next.value.length;
    held += next.value.length;
    if (held >= heldAtMost) {
      blobs.push(new Blob(chunks));
      chunks = [];
      held = 0;
    }
    onStep({ stage, percent: share(moved, info.size), moved });
  }
}

type Send = (
  body: Blob,
  request: UrlRequest,
  hooks: RemoteHooks,
  onProgress: (moved: number) => void,
) => Promise<RemoteShare>;

const sendWhole: Send = async (body, request, { signal, onStep }, onProgress) => {
  const place = await urlPresign(request, signal);
  try {
    await putBytes({ url: place.upload_url, body, headers: headersFor(place), signal, onProgress });
    onStep({ stage: 'completing', percent: 99, moved: body.size, size: body.size });
    return await urlCommit(place.file_id, signal);
  } catch (error) {
    await urlCancel(place.file_id).catch(() => undefined);
    throw error;
  }
};

const sendParts: Send = (body, request, { signal, onStep }, onProgress) => {
  let place: UrlParts | undefined;
  const begun = () => {
    if (!place) throw new UploadError('parts');
    return place;
  };
  return uploadMultipart(
    body,
    {
      async init(plan) {
        place = await urlInit(
          { ...request, part_size: plan.partSize, total_size: plan.size, part_count: plan.partCount },
          signal,
        );
        return { uploadId: place.upload_id, urls: place.presigned_urls };
      },
      listParts: () => Promise.resolve([]),
      // The server signs all parts at the start and none later.
      refreshUrls: () => Promise.reject(new UploadError('parts', 403)),
      put: (url, part, options) =>
        putBytes({
          url,
          body: part,
          headers: { 'Content-Type': 'application/octet-stream' },
          timeout: partTimeout,
          ...options,
        }),
      async complete(_, parts) {
        onStep({ stage: 'completing', percent: 99, moved: body.size, size: body.size });
        const list = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag }));
        const { slug } = await urlComplete(begun(), list, signal);
        return { id: begun().file_id, slug };
      },
      async abort() {
        await urlAbort(begun());
      },
    },
    { signal, onProgress, partSize: partSizeFor(body.size) },
  );
};
