import { ApiError } from '../../api/client';
import { commit as commitCall, deleteFiles, presign as presignCall } from '../../api/files';
import type { CommittedFile, Presigned, PresignRequest } from '../../api/types';
import { NotRegistered, UploadError } from './errors';
import { putBytes } from './put';

/** Stages of one upload, in their order (§4). */
export type Stage = 'starting' | 'initializing' | 'uploading' | 'processing' | 'completing' | 'completed';

/** TransferHooks tell how far one file is and let it be stopped. */
export interface TransferHooks {
  signal: AbortSignal;
  onStage: (stage: Stage) => void;
  /** Bytes sent so far. */
  onSent: (bytes: number) => void;
  /** onRefused tells that the storage does not let this page in (CORS), so that the bytes go through the server. */
  onRefused?: () => void;
}

/** The calls a share upload makes; tests pass their own. */
export interface ShareCalls {
  presign: typeof presignCall;
  put: typeof putBytes;
  commit: typeof commitCall;
  discard: (fileId: string) => Promise<unknown>;
  /** Waits before the nth repetition of a call, n from 1. */
  wait: (attempt: number) => Promise<void>;
}

/** waitLonger waits a second before the first repetition of a call, and twice as long before each further one. */
export const waitLonger = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt));

const calls: ShareCalls = {
  presign: presignCall,
  put: putBytes,
  commit: commitCall,
  discard: (fileId) => deleteFiles([fileId], 'both'),
  wait: waitLonger,
};

/** Repetitions of a call; without its commit an upload is called "uploaded but not registered" then. */
const callRetries = 3;

/**
 * shareFile uploads one file and makes it a share: presign, PUT, commit.
 *
 * When it fails or is cancelled after the record exists, the record is
 * deleted. Rejects with ApiError, UploadError, or NotRegistered when only the
 * commit is missing.
 */
export async function shareFile(
  file: Blob,
  request: PresignRequest,
  hooks: TransferHooks,
  { presign, put, commit, discard, wait }: ShareCalls = calls,
): Promise<CommittedFile> {
  hooks.onStage('initializing');
  const place = await retried(() => presign(request, hooks.signal), wait, hooks.signal, isRefusedForNow);
  try {
    hooks.onStage('uploading');
    const { etag } = await put({
      url: place.upload_url,
      body: file,
      headers: headersFor(place),
      signal: hooks.signal,
      onProgress: (sent) => {
        hooks.onSent(sent);
        if (sent === file.size) hooks.onStage('processing');
      },
    });
    const finish = async (signal: AbortSignal) => {
      hooks.onStage('completing');
      const body = { file_id: place.file_id, size: file.size, etag: unquoted(etag) };
      const committed = await retried(() => commit(body, signal), wait, signal);
      hooks.onStage('completed');
      return committed;
    };
    return await finish(hooks.signal).catch((error: unknown) => {
      if (isTransient(error) && !hooks.signal.aborted) throw new NotRegistered(finish, error);
      throw error;
    });
  } catch (error) {
    if (error instanceof NotRegistered) throw error;
    // A commit that was refused for good leaves a record that nobody could use.
    const discarded = await discard(place.file_id).then(
      () => true,
      () => false,
    );
    throw hooks.signal.aborted ? new UploadError('aborted', 0, discarded) : error;
  }
}

/** headersFor are the headers a presigned PUT carries. */
export function headersFor(place: Presigned): Record<string, string> {
  return {
    'Content-Type': place.contentType || 'application/octet-stream',
    // B2 refuses an upload without a checksum otherwise (contract §7.3).
    ...(place.provider_type === 'Backblaze B2' && {
      'X-Bz-Content-Sha1': 'do_not_verify',
      'X-Requested-With': 'XMLHttpRequest',
    }),
  };
}

const unquoted = (etag: string | null) => etag?.replace(/^"|"$/g, '') || null;

/** retried repeats the first or the last call of an upload, with growing pauses, as long as that may help. */
export async function retried<T>(
  call: () => Promise<T>,
  wait: (attempt: number) => Promise<void>,
  signal: AbortSignal,
  mayHelp = isTransient,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt > callRetries || !mayHelp(error) || signal.aborted) throw error;
      await wait(attempt);
      if (signal.aborted) throw new UploadError('aborted');
    }
  }
}

/** isRefusedForNow says that a busy server has done nothing of the call, so that it can be made again. */
export const isRefusedForNow = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'overloaded';

/** isTransient says that the same call may work later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.failure) return error.failure !== 'aborted';
  return error.status >= 500 || error.status === 408 || error.status === 429;
}

/** isTemporary says that a later try may go on with what has arrived. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof NotRegistered || isTransient(error)) return true;
  if (!(error instanceof UploadError)) return false;
  const { failure, status } = error;
  if (failure === 'network' || failure === 'timeout') return true;
  return failure === 'parts' && (status === 0 || status >= 500 || status === 408 || status === 429);
}
