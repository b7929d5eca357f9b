import {
  announceFile,
  cancelFile,
  contentUrl,
  resumeFile,
  visitHeader,
  type SentFile,
} from '../../api/requests';
import { requestParts } from '../requests/parts';
import { visitOf } from '../requests/visit';
import { resumed } from './begun';
import { NotRegistered } from './errors';
import { sendInParts } from './inParts';
import { partSize } from './parts';
import { putBytes } from './put';
import type { Transfer } from './queue';
import { waitLonger, type TransferHooks } from './share';
import type { Arrived } from './uploads';

const calls = {
  ...requestParts,
  put: async (request: Parameters<typeof putBytes>[0]) => ({ etag: (await putBytes(request)).etag ?? '-' }),
  wait: waitLonger,
};

/** Whole is why a file is not sent in parts: its storage knows none. */
class Whole extends Error {
  constructor(readonly announced: SentFile) {
    super('sent whole');
  }
}

/**
 * sendToRequest sends a file to the request it was put on the list for: in one piece, or in parts, going on where a cut
 * line or a closed page has stopped. Rejects with ApiError or UploadError; what was cancelled or refused leaves nothing
 * behind.
 */
export const sendToRequest: Transfer<Arrived> = async (item, _, hooks) => {
  const { file, name, folder } = item;
  const { secret, sender, note } = visitOf(folder);
  // Not to be stopped half-way: an answer that nobody reads would leave a place that nobody fills.
  const announce = () => announceFile(folder, secret, { name, size: file.size, sender, note });
  const whole = (announced: SentFile) => sendWhole(folder, secret, announced, file, hooks);
  const begin = async () => {
    const announced = await announce();
    if (announced.part_count === 0) throw new Whole(announced);
    const { id: upload_id, links: presigned_urls } = announced;
    return { to: 'request' as const, folder, name, file_id: '', upload_id, presigned_urls };
  };
  hooks.onStage('initializing');
  // The server takes a file of one part in one piece.
  if (file.size <= partSize) return whole(await announce());
  try {
    return await sendInParts(file, { begun: await resumed(file, item), begin }, hooks, calls);
  } catch (error) {
    if (error instanceof Whole) return whole(error.announced);
    throw error instanceof NotRegistered ? error.cause : error;
  }
};

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
