import { endsOf, forgetBegun, isOver, noteBegun, type Begun, type Note } from './begun';
import { isPaused, NotRegistered, UploadError } from './errors';
import { uploadMultipart, type MultipartBackend, type PartUrl, type UploadedPart } from './multipart';
import { partSizeFor } from './parts';
import { partTimeout, type putBytes } from './put';
import { isRefusedForNow, isTemporary, isTransient, retried, type TransferHooks } from './share';

/** PartsCalls are the calls about an upload in parts that the server keeps; it becomes a T. */
export interface PartsCalls<T> {
  /** list tells what has arrived; code "upload_not_found" when the upload is over or unknown. */
  list: (begun: Begun, signal?: AbortSignal) => Promise<{ parts: UploadedPart[] }>;
  refresh: (
    begun: Begun,
    partNumbers: number[],
    signal?: AbortSignal,
  ) => Promise<{ presigned_urls: PartUrl[] }>;
  /** complete joins what the storage has; repeating it is harmless. */
  complete: (begun: Begun, signal?: AbortSignal) => Promise<T>;
  abort: (begun: Begun) => Promise<unknown>;
  put: typeof putBytes;
  /** Waits before the nth repetition of the first or the last call, n from 1. */
  wait: (attempt: number) => Promise<void>;
  /** Waits between repetitions of a part. */
  waitPart?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Begin reserves the place of a file that is cut so, and answers what is noted of it, with an address for each part. */
export type Begin = (cut: {
  part_size: number;
  part_count: number;
}) => Promise<Omit<Note, 'ends'> & { presigned_urls: PartUrl[] }>;

/**
 * sendInParts sends a file in parts. It goes on with what was begun before, and
 * without `begin` it does nothing else.
 *
 * What a lost line or a server in trouble interrupts is kept and noted, so that
 * trying again goes on; what was cancelled or refused leaves nothing behind.
 * Rejects with ApiError, UploadError, or NotRegistered when only the last call
 * is missing.
 */
export async function sendInParts<T>(
  file: File,
  { begun, begin }: { begun: Begun | undefined; begin: Begin | undefined },
  hooks: TransferHooks,
  use: PartsCalls<T>,
): Promise<T> {
  const run = new Run(file, begin, hooks, use);
  try {
    if (begun) {
      try {
        return await run.send(begun);
      } catch (error) {
        if (!isOver(error)) throw error;
        const done = await run.finishedBefore(begun);
        if (done) return done;
        run.forget();
        if (!begin) throw new UploadError('gone');
      }
    }
    return await run.send(undefined);
  } catch (error) {
    if (error instanceof NotRegistered || !hooks.signal.aborted) throw error;
    throw new UploadError('aborted', 0, run.discarded);
  }
}

class Run<T> {
  /** discarded says whether the server was told of the end; undefined when nobody tried. */
  discarded: boolean | undefined;
  private begun: Begun | undefined;
  private finished: T | undefined;

  constructor(
    private readonly file: File,
    private readonly announce: Begin | undefined,
    private readonly hooks: TransferHooks,
    private readonly use: PartsCalls<T>,
  ) {}

  async send(resume: Begun | undefined): Promise<T> {
    this.begun = resume;
    const { signal, onSent } = this.hooks;
    const done = await uploadMultipart(this.file, this.backend(), {
      signal,
      resume: resume?.upload_id,
      partSize: partSizeFor(this.file.size),
      keeps: (error) => isPaused(signal) || (!signal.aborted && isTemporary(error)),
      onProgress: (sent) => {
        onSent(sent);
        if (sent === this.file.size) this.hooks.onStage('processing');
      },
      onStarted: () => this.hooks.onStage('uploading'),
      ...(this.use.waitPart && { wait: this.use.waitPart }),
    });
    this.forget();
    return done;
  }

  /** finishedBefore asks whether an upload that is over has become a share; its answer may have been lost. */
  async finishedBefore(begun: Begun): Promise<T | undefined> {
    this.begun = begun;
    try {
      const done = await this.use.complete(begun, this.hooks.signal);
      this.forget();
      return done;
    } catch (error) {
      if (isOver(error)) return undefined;
      throw error;
    }
  }

  forget() {
    if (this.begun) forgetBegun(this.begun, this.file);
  }

  private mine(): Begun {
    if (!this.begun) throw new UploadError('parts');
    return this.begun;
  }

  private backend(): MultipartBackend<T> {
    const { signal } = this.hooks;
    return {
      init: async (plan) => {
        const { announce } = this;
        if (!announce) throw new UploadError('gone');
        const ends = await endsOf(this.file);
        const cut = { part_size: plan.partSize, part_count: plan.partCount };
        // Not to be stopped half-way: an answer that nobody reads would leave a share that nobody finishes.
        const { presigned_urls: urls, ...place } = await retried(
          () => announce(cut),
          this.use.wait,
          signal,
          isRefusedForNow,
        );
        this.begun = noteBegun(this.file, { ...place, ends });
        if (signal.aborted) {
          if (!isPaused(signal)) await this.abort().catch(() => undefined);
          throw new UploadError('aborted');
        }
        return { uploadId: place.upload_id, urls };
      },
      listParts: async () => (await this.use.list(this.mine(), signal)).parts,
      refreshUrls: async (_, numbers) =>
        (await this.use.refresh(this.mine(), numbers, signal)).presigned_urls,
      put: (url, body, options) =>
        this.use.put({
          url,
          body,
          headers: { 'Content-Type': 'application/octet-stream' },
          timeout: partTimeout,
          ...options,
        }),
      complete: () => this.complete(),
      abort: () => this.abort(),
    };
  }

  private async abort() {
    this.discarded = false;
    await this.use.abort(this.mine()).catch((error: unknown) => {
      if (!isOver(error)) throw error;
    });
    this.discarded = true;
    this.forget();
  }

  private async complete(): Promise<T> {
    const finish = async (signal: AbortSignal) => {
      this.hooks.onStage('completing');
      this.finished ??= await retried(() => this.use.complete(this.mine(), signal), this.use.wait, signal);
      this.forget();
      this.hooks.onStage('completed');
      return this.finished;
    };
    try {
      return await finish(this.hooks.signal);
    } catch (error) {
      if (isTransient(error) && !this.hooks.signal.aborted) throw new NotRegistered(finish, error);
      throw error;
    }
  }
}
