import { authHeaders } from '../../api/client';
import {
  abortParts,
  commitUpload,
  completeParts,
  initParts,
  listParts,
  listUploads,
  presignUpload,
  refreshParts,
  uploadUrl,
} from '../../api/fs';
import { ownPrefix, readStoredJson, writeStored } from '../../config';
import { isPaused, UploadError } from './errors';
import { md5 } from './md5';
import {
  inPartsFrom,
  partSizeFor,
  uploadMultipart,
  type MultipartBackend,
  type UploadedPart,
} from './multipart';
import { partTimeout, putBytes } from './put';
import type { TransferHooks } from './share';

/**
 * How the bytes go: whole to the storage, whole through the server, in parts,
 * or whichever fits the size and the storage.
 */
export type UploadMethod = 'auto' | 'presigned' | 'direct' | 'parts';

/** Where a file goes: a folder of a mount, and the name there. */
export interface MountTarget {
  folder: string;
  name: string;
  method?: UploadMethod | undefined;
  /** resume is the ID of an upload to go on with, when its first part proves to be the file's. */
  resume?: string | undefined;
}

/**
 * uploadToMount puts a file into a folder of a mount: a small one by a signed
 * PUT, or through the server when the browser cannot reach the storage; a
 * large one in parts, going on where a closed page has stopped.
 *
 * Rejects with ApiError or UploadError; what failed or was cancelled leaves
 * nothing behind.
 */
export async function uploadToMount(
  file: File,
  target: MountTarget,
  hooks: TransferHooks,
): Promise<MountTarget> {
  try {
    const { method = 'auto' } = target;
    const inParts = method === 'parts' || (method === 'auto' && file.size >= inPartsFrom);
    if (inParts && file.size > 0) await sendInParts(file, target, hooks);
    else if (method === 'direct') await sendThrough(file, target, hooks);
    else await sendWhole(file, target, hooks);
    hooks.onStage('completed');
    return target;
  } catch (error) {
    throw hooks.signal.aborted ? new UploadError('aborted') : error;
  }
}

const pathOf = ({ folder, name }: MountTarget) => `${folder === '/' ? '' : folder}/${name}`;

async function sendWhole(file: File, target: MountTarget, hooks: TransferHooks) {
  const { signal, onStage, onSent } = hooks;
  onStage('initializing');
  const { presignedUrl, ...place } = await presignUpload(
    target.folder,
    { name: target.name, size: file.size },
    signal,
  );
  const onProgress = (sent: number) => {
    onSent(sent);
    if (sent === file.size) onStage('processing');
  };
  onStage('uploading');
  try {
    const headers = { 'Content-Type': place.contentType || 'application/octet-stream' };
    const { etag } = await putBytes({ url: presignedUrl, body: file, headers, signal, onProgress });
    onStage('completing');
    await commitUpload(place, { size: file.size, etag: etag?.replace(/^"|"$/g, '') ?? null }, signal);
  } catch (error) {
    // The storage's CORS rule may refuse this page; the server can always be reached.
    const refused = error instanceof UploadError && error.failure === 'network' && !signal.aborted;
    if (!refused || target.method === 'presigned') throw error;
    hooks.onRefused?.();
    await sendThrough(file, target, hooks);
  }
}

/** sendInParts takes the way through the server when the storage let not a byte in, or hides its ETags. */
async function sendInParts(file: File, target: MountTarget, hooks: TransferHooks) {
  let sent = 0;
  const onSent = (bytes: number) => {
    sent = Math.max(sent, bytes);
    hooks.onSent(bytes);
  };
  try {
    await sendParts(file, target, { ...hooks, onSent });
  } catch (error) {
    const failure = error instanceof UploadError ? error.failure : undefined;
    const refused = failure === 'noETag' || ((failure === 'network' || failure === 'parts') && sent === 0);
    if (!refused || hooks.signal.aborted || target.method === 'parts') throw error;
    hooks.onRefused?.();
    await sendThrough(file, target, hooks);
  }
}

async function sendThrough(file: File, target: MountTarget, { signal, onStage, onSent }: TransferHooks) {
  onStage('uploading');
  await putBytes({
    url: uploadUrl(pathOf(target)),
    body: file,
    headers: authHeaders(),
    signal,
    onProgress(sent) {
      onSent(sent);
      if (sent === file.size) onStage('processing');
    },
  });
}

async function sendParts(file: File, target: MountTarget, { signal, onStage, onSent }: TransferHooks) {
  onStage('initializing');
  const size = partSizeFor(file.size);
  const begun = target.resume ?? unfinished(file, target, size)?.uploadId;
  const resume = begun && (await isSame(begun, file, target, signal)) ? begun : undefined;
  onStage('uploading');
  try {
    await uploadMultipart(file, backendOf(file, target, { signal, onStage }), {
      signal,
      resume,
      partSize: size,
      onProgress: onSent,
      onStarted: (uploadId) => note(file, target, size, uploadId),
    });
  } finally {
    // Finished or given up: the storage holds no parts of it any more.
    if (!isPaused(signal)) note(file, target, size, undefined);
  }
}

function backendOf(
  file: File,
  { folder, name }: MountTarget,
  { signal, onStage }: Pick<TransferHooks, 'signal' | 'onStage'>,
): MultipartBackend<unknown> {
  const of = { path: folder, fileName: name };
  return {
    async init({ size, partSize: length, partCount }) {
      const begun = await initParts({ ...of, fileSize: size, partSize: length, partCount }, signal);
      return { uploadId: begun.uploadId, urls: begun.presignedUrls };
    },
    listParts: async (uploadId) => (await listParts({ ...of, uploadId }, signal)).parts,
    refreshUrls: async (uploadId, partNumbers) =>
      (await refreshParts({ ...of, uploadId, partNumbers }, signal)).presignedUrls,
    put: (url, body, options) =>
      putBytes({
        url,
        body,
        headers: { 'Content-Type': 'application/octet-stream' },
        timeout: partTimeout,
        ...options,
      }),
    complete(uploadId, parts) {
      onStage('completing');
      const list = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag }));
      return completeParts({ ...of, uploadId, fileSize: file.size, parts: list }, signal);
    },
    abort: (uploadId) => abortParts({ ...of, uploadId }).then(() => undefined),
  };
}

/** Unfinished is an upload that this browser has begun, with what proves that a file is the same. */
interface Unfinished {
  uploadId: string;
  path: string;
  /** bytes */
  size: number;
  modified: number;
  partSize: number;
}

const notesKey = `${ownPrefix}mountUploads`;
const notes = () => readStoredJson(notesKey, (value): value is Unfinished[] => Array.isArray(value)) ?? [];

function isOf(one: Unfinished, file: File, target: MountTarget, length: number): boolean {
  return (
    one.path === pathOf(target) &&
    one.size === file.size &&
    one.modified === file.lastModified &&
    one.partSize === length
  );
}

/** unfinished is the upload of this very file to this very place that was begun and not ended. */
export const unfinished = (file: File, target: MountTarget, length = partSizeFor(file.size)) =>
  notes().find((one) => isOf(one, file, target, length));

function note(file: File, target: MountTarget, length: number, uploadId: string | undefined) {
  const rest = notes().filter((one) => !isOf(one, file, target, length));
  if (uploadId) {
    rest.push({
      uploadId,
      path: pathOf(target),
      size: file.size,
      modified: file.lastModified,
      partSize: length,
    });
  }
  writeStored(notesKey, rest.length > 0 ? JSON.stringify(rest.slice(-50)) : '');
}

/** isSame says whether the storage still keeps an upload, and its first part is the file's. */
async function isSame(
  uploadId: string,
  file: File,
  target: MountTarget,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { parts } = await listParts({ path: target.folder, fileName: target.name, uploadId }, signal);
    const noted = unfinished(file, target)?.uploadId === uploadId;
    return (await isFirstOf(file, parts)) ?? noted;
  } catch (error) {
    if (signal.aborted) throw error;
    // Nobody can say: the upload begins anew.
    return false;
  }
}

/**
 * isFirstOf compares the first part with the file, by the sums that storages use for tags: MD5, and the head of
 * SHA-256 on local disks. Undefined when there is nothing to compare with, or not enough here to do it.
 */
async function isFirstOf(file: File, parts: readonly UploadedPart[]): Promise<boolean | undefined> {
  const first = parts.find(({ partNumber }) => partNumber === 1);
  const tag = first?.etag.replace(/"/g, '').toLowerCase() ?? '';
  if (!first || !/^[0-9a-f]{32}$/.test(tag)) return undefined;
  if (first.size > file.size) return false;
  const bytes = new Uint8Array(await file.slice(0, first.size).arrayBuffer());
  if (md5(bytes) === tag) return true;
  // Plain http has no SHA-256.
  if (!isSecureContext) return undefined;
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(sum.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('') === tag;
}

/** A Resumable is an unfinished upload to the place a file is meant for. */
export interface Resumable {
  uploadId: string;
  started: string;
  /** parts that have arrived, and their bytes. */
  parts: number;
  bytes: number;
  /** partCount is how many parts the file makes. */
  partCount: number;
  /** proven says that the first part is the file's, and all parts are cut as the file's would be. */
  proven: boolean;
}

/** resumable lists the unfinished uploads to a file's place, the proven ones first. */
export async function resumable(file: File, target: MountTarget, signal?: AbortSignal): Promise<Resumable[]> {
  const { uploads, prefix } = await listUploads(target.folder, signal);
  const here = uploads.filter(({ key }) => key === prefix + target.name);
  const size = partSizeFor(file.size);
  const partCount = Math.ceil(file.size / size);
  const found = await Promise.all(
    here.map(async ({ uploadId, initiated }): Promise<Resumable> => {
      const { parts } = await listParts({ path: target.folder, fileName: target.name, uploadId }, signal);
      const fits = parts.every(
        ({ partNumber, size: length }) =>
          partNumber <= partCount && length === Math.min(size, file.size - (partNumber - 1) * size),
      );
      return {
        uploadId,
        started: initiated,
        parts: parts.length,
        bytes: parts.reduce((sum, part) => sum + part.size, 0),
        partCount,
        proven: fits && (await isFirstOf(file, parts)) === true,
      };
    }),
  );
  return found
    .filter(({ parts }) => parts > 0)
    .toSorted((a, b) => Number(b.proven) - Number(a.proven) || b.bytes - a.bytes);
}
