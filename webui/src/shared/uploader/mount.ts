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
import { begunOf, endsOf, forgetBegun, isFirstOf, noteBegun, resumed, type Begun } from './begun';
import { isPaused, UploadError } from './errors';
import { uploadMultipart, type MultipartBackend } from './multipart';
import { inPartsFrom, partSizeFor } from './parts';
import { partTimeout, putBytes } from './put';
import { isTemporary, isTransient, type TransferHooks } from './share';

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
 * Rejects with ApiError or UploadError; what was cancelled or refused leaves
 * nothing behind. Parts that a lost line has interrupted are kept, so that
 * trying again goes on.
 */
export async function uploadToMount(
  file: File,
  target: MountTarget,
  hooks: TransferHooks,
): Promise<MountTarget> {
  try {
    const begun = await begin(file, target);
    const { method = 'auto' } = target;
    const inParts = method === 'parts' || (method === 'auto' && file.size >= inPartsFrom);
    if (inParts && file.size > 0) await sendInParts(file, target, begun, hooks);
    else if (method === 'direct') await sendThrough(file, target, hooks);
    else await sendWhole(file, target, hooks);
    forgetBegun(begun, file);
    hooks.onStage('completed');
    return target;
  } catch (error) {
    const begun = begunOf(file);
    // Of what the storage still has the note stays, whoever has stopped it.
    if (begun && !begun.upload_id && !isPaused(hooks.signal)) forgetBegun(begun, file);
    throw hooks.signal.aborted ? new UploadError('aborted') : error;
  }
}

const pathOf = ({ folder, name }: MountTarget) => `${folder === '/' ? '' : folder}/${name}`;

/** begin notes that a file is on its way, or finds the upload of it that was begun before. */
async function begin(file: File, { folder, name }: MountTarget): Promise<Begun> {
  const place = { to: 'mount', folder, name } as const;
  return (await resumed(file, place)) ?? noteBegun(file, { ...place, ends: '', file_id: '', upload_id: '' });
}

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
async function sendInParts(file: File, target: MountTarget, begun: Begun, hooks: TransferHooks) {
  let sent = 0;
  const onSent = (bytes: number) => {
    sent = Math.max(sent, bytes);
    hooks.onSent(bytes);
  };
  try {
    await sendParts(file, target, begun, { ...hooks, onSent });
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

async function sendParts(file: File, target: MountTarget, begun: Begun, hooks: TransferHooks) {
  const { signal, onStage, onSent } = hooks;
  onStage('initializing');
  const { folder, name, resume: chosen } = target;
  const before = chosen ?? begun.upload_id;
  const isNoted = before === begun.upload_id;
  const resume = before && (await isKept(before, isNoted, file, target, signal)) ? before : undefined;
  const ends = begun.ends || (await endsOf(file));
  const note = (upload_id: string) =>
    noteBegun(file, { to: 'mount', folder, name, file_id: '', upload_id, ends: upload_id && ends });
  let sent = 0;
  onStage('uploading');
  await uploadMultipart(
    file,
    backendOf(file, target, { signal, onStage }, () => note('')),
    {
      signal,
      resume,
      partSize: partSizeFor(file.size),
      keeps: (error) => isPaused(signal) || (!signal.aborted && sent > 0 && isTemporary(error)),
      onProgress: (bytes) => onSent((sent = bytes)),
      onStarted: note,
    },
  );
}

function backendOf(
  file: File,
  { folder, name }: MountTarget,
  { signal, onStage }: Pick<TransferHooks, 'signal' | 'onStage'>,
  onAborted: () => void,
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
    abort: (uploadId) => abortParts({ ...of, uploadId }).then(onAborted),
  };
}

/** isKept says whether the storage still has an upload, and its first part is the file's; `noted` that its note proves it. */
async function isKept(
  uploadId: string,
  noted: boolean,
  file: File,
  { folder, name }: MountTarget,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { parts } = await listParts({ path: folder, fileName: name, uploadId }, signal);
    return (await isFirstOf(file, parts)) ?? noted;
  } catch (error) {
    if (signal.aborted || isTransient(error)) throw error;
    // It is over, or nobody can say: the upload begins anew.
    return false;
  }
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
