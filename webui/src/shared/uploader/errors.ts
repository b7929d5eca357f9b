import { ApiError } from '../../api/errors';

/** What stopped the bytes. */
type UploadFailure = 'http' | 'network' | 'timeout' | 'aborted' | 'parts' | 'noETag' | 'fetch' | 'gone';

/** UploadError is a transfer that did not arrive. */
export class UploadError extends Error {
  readonly failure: UploadFailure;
  /** HTTP status of the storage's answer; 0 when none came. */
  readonly status: number;
  /** discarded says of a cancelled upload whether the server has deleted what had arrived; undefined when nothing had. */
  readonly discarded: boolean | undefined;

  /** said is the answer of our server, where it and not a storage of others has refused the bytes. */
  readonly said: ApiError | undefined;

  constructor(failure: UploadFailure, status = 0, discarded?: boolean, said?: ApiError) {
    super(status ? `${failure} ${status}` : failure);
    this.name = 'UploadError';
    this.failure = failure;
    this.status = status;
    this.discarded = discarded;
    this.said = said;
  }
}

/** refusalOf reads what our server says of bytes that it did not take; undefined for answers of others. */
export function refusalOf(status: number, text: string, decisionId: string | null): ApiError | undefined {
  try {
    const body = JSON.parse(text) as { code?: unknown; message?: unknown; error?: unknown } | null;
    if (typeof body?.code !== 'number' || typeof body.message !== 'string') return undefined;
    const code = typeof body.error === 'string' ? body.error : '';
    return new ApiError(body.message, { status, code, decisionId: decisionId ?? '' });
  } catch {
    return undefined;
  }
}

/**
 * NotRegistered says that all bytes are in the storage but the server could
 * not be told. `commit` tells it again, without sending the bytes again.
 */
export class NotRegistered<T> extends Error {
  readonly commit: (signal: AbortSignal) => Promise<T>;

  constructor(commit: (signal: AbortSignal) => Promise<T>, cause: unknown) {
    super('uploaded but not registered', { cause });
    this.name = 'NotRegistered';
    this.commit = commit;
  }
}

/** pausing is why a transfer is stopped that goes on later; what has arrived is kept for it. */
export const pausing = 'paused';

/** isPaused says whether a signal stopped a transfer only for a while. */
export const isPaused = (signal: AbortSignal | undefined): boolean =>
  signal?.aborted === true && signal.reason === pausing;

/** isCancelled says whether an upload ended because somebody asked for it. */
export function isCancelled(error: unknown): boolean {
  return error instanceof UploadError && error.failure === 'aborted';
}
