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
import { UploadError } from './errors';
import { partSize, partSizeFor, uploadMultipart, type MultipartBackend } from './multipart';
import { partTimeout, putBytes } from './put';
import type { TransferHooks } from './share';

/** Files from this size on go in parts, so that they can be resumed; in bytes. */
export const inPartsFrom = 4 * partSize;

/** Where a file goes: a folder of a mount, and the name there. */
export interface MountTarget {
  folder: string;
  name: string;
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
    await (file.size >= inPartsFrom ? sendParts(file, target, hooks) : sendWhole(file, target, hooks));
    hooks.onStage('completed');
    return target;
  } catch (error) {
    throw hooks.signal.aborted ? new UploadError('aborted') : error;
  }
}

const pathOf = ({ folder, name }: MountTarget) => `${folder === '/' ? '' : folder}/${name}`;

async function sendWhole(file: File, target: MountTarget, { signal, onStage, onSent }: TransferHooks) {
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
    if (!(error instanceof UploadError) || error.failure !== 'network' || signal.aborted) throw error;
    onStage('uploading');
    await putBytes({
      url: uploadUrl(pathOf(target)),
      body: file,
      headers: authHeaders(),
      signal,
      onProgress,
    });
  }
}

async function sendParts(file: File, target: MountTarget, { signal, onStage, onSent }: TransferHooks) {
  onStage('initializing');
  const size = partSizeFor(file.size);
  const begun = unfinished(file, target, size);
  const resume = begun && (await isKnown(begun.uploadId, target, signal)) ? begun.uploadId : undefined;
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
    note(file, target, size, undefined);
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

/** isKnown asks whether the storage still keeps the parts; when nobody can say, the upload begins anew. */
async function isKnown(uploadId: string, target: MountTarget, signal: AbortSignal): Promise<boolean> {
  const { uploads } = await listUploads(target.folder, signal).catch(() => ({ uploads: [] }));
  return uploads.some((one) => one.uploadId === uploadId);
}
