import { ApiError, isAborted } from '../../api/client';
import {
  announceFile,
  cancelFile,
  completeFile,
  contentUrl,
  resumeFile,
  visitHeader,
  type Announced,
  type SentFile,
} from '../../api/requests';
import { isPaused, UploadError } from '../../shared/uploader/errors';
import { uploadMultipart, type MultipartBackend } from '../../shared/uploader/multipart';
import { partTimeout, putBytes } from '../../shared/uploader/put';
import { isTemporary, type TransferHooks } from '../../shared/uploader/share';
import { begunAs, forgetBegun, noteBegun, visitOf } from './visit';

/**
 * sendFile sends a file to a request: in one piece, or in parts, going on where a cut line or a closed page has
 * stopped. Rejects with ApiError or UploadError; what was cancelled or refused leaves nothing behind.
 */
export async function sendFile(slug: string, file: File, hooks: TransferHooks): Promise<SentFile> {
  const { secret = '', sender = '', note = '' } = visitOf(slug) ?? {};
  const { signal } = hooks;
  const announce = () =>
    announceFile(slug, secret, { name: file.name, size: file.size, sender, note }, signal);
  hooks.onStage('initializing');
  const before = begunAs(slug, file);
  let known = before && (await kept(slug, secret, before.id, signal));
  known ??= await announce();
  if (known.state === 'stored') return ended(slug, known);
  if (known.part_count === 0) return sendWhole(slug, secret, known, file, hooks);
  if (!begunAs(slug, file)) noteBegun(slug, known.id, file);
  return sendParts(slug, secret, known, file, hooks);
}

function ended(slug: string, file: SentFile): SentFile {
  forgetBegun(slug, file.id);
  return file;
}

/** kept is an upload that was begun before, as far as it has come; undefined when the server has given it up. */
async function kept(
  slug: string,
  secret: string,
  id: string,
  signal: AbortSignal,
): Promise<Announced | undefined> {
  try {
    return await resumeFile(slug, secret, id, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'upload_not_found') throw error;
    forgetBegun(slug, id);
    return undefined;
  }
}

async function sendWhole(slug: string, secret: string, known: SentFile, file: File, hooks: TransferHooks) {
  const { signal, onStage, onSent } = hooks;
  onStage('uploading');
  try {
    await putBytes({
      url: contentUrl(slug, known.id),
      body: file,
      headers: visitHeader(secret),
      signal,
      onProgress(sent) {
        onSent(sent);
        if (sent === file.size) onStage('processing');
      },
    });
    return known;
  } catch (error) {
    // It may have come, and the answer was lost.
    const now = await resumeFile(slug, secret, known.id).catch(() => undefined);
    if (now?.state === 'stored') return now;
    // The next try announces the file again.
    void cancelFile(slug, secret, known.id).catch(() => undefined);
    throw error;
  }
}

async function sendParts(slug: string, secret: string, known: Announced, file: File, hooks: TransferHooks) {
  const { signal, onStage, onSent } = hooks;
  const lengthOf = (number: number) => Math.min(known.part_size, known.size - (number - 1) * known.part_size);
  const links = new Map(known.links.map((link) => [link.partNumber, link]));
  let sent = 0;
  const backend: MultipartBackend<SentFile> = {
    init: () => Promise.resolve({ uploadId: known.id, urls: known.links }),
    listParts: () =>
      Promise.resolve(
        known.arrived.map((partNumber) => ({ partNumber, etag: '-', size: lengthOf(partNumber) })),
      ),
    async refreshUrls(id, numbers) {
      if (numbers.some((number) => !links.has(number)))
        for (const link of (await resumeFile(slug, secret, id, signal)).links)
          links.set(link.partNumber, link);
      return numbers.flatMap((number) => {
        const link = links.get(number);
        // The next time it is asked for, this one was refused.
        links.delete(number);
        return link ?? [];
      });
    },
    // The server asks the storage itself which parts there are; nobody needs the tags.
    put: async (url, body, options) => ({
      etag: (await putBytes({ url, body, timeout: partTimeout, ...options })).etag ?? '-',
    }),
    complete(id) {
      onStage('completing');
      return completeFile(slug, secret, id, signal);
    },
    async abort(id) {
      await cancelFile(slug, secret, id);
      forgetBegun(slug, id);
    },
  };
  onStage('uploading');
  const done = await uploadMultipart(file, backend, {
    signal,
    resume: known.id,
    partSize: known.part_size,
    keeps: (error) => isPaused(signal) || (!signal.aborted && isTemporary(error)),
    onProgress: (bytes) => onSent((sent = Math.max(sent, bytes))),
  }).catch((error: unknown) => {
    throw isAborted(error) || signal.aborted ? new UploadError('aborted') : error;
  });
  return ended(slug, done);
}
