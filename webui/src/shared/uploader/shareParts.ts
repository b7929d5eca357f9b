import {
  abortFileParts,
  beginFileParts,
  completeFileParts,
  listFileParts,
  refreshFileParts,
} from '../../api/fileParts';
import type { CommittedFile, PresignRequest } from '../../api/types';
import { begunOf, endsOf, forgetBegun, isOver, noteBegun, sending, type Begun } from './begun';
import { isPaused, NotRegistered, UploadError } from './errors';
import { uploadMultipart, type MultipartBackend } from './multipart';
import { partSizeFor } from './parts';
import { partTimeout, putBytes } from './put';
import { isRefusedForNow, isTemporary, isTransient, retried, waitLonger, type TransferHooks } from './share';

/** The calls a share in parts makes; tests pass their own. */
export interface PartsCalls {
  begin: typeof beginFileParts;
  list: typeof listFileParts;
  refresh: typeof refreshFileParts;
  complete: typeof completeFileParts;
  abort: typeof abortFileParts;
  put: typeof putBytes;
  /** Waits before the nth repetition of the first or the last call, n from 1. */
  wait: (attempt: number) => Promise<void>;
  /** Waits between repetitions of a part. */
  waitPart?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const calls: PartsCalls = {
  begin: beginFileParts,
  list: listFileParts,
  refresh: refreshFileParts,
  complete: completeFileParts,
  abort: abortFileParts,
  put: putBytes,
  wait: waitLonger,
};

/**
 * shareInParts sends a file in parts and makes it a share. It goes on with what
 * was begun before, and without a request it does nothing else.
 *
 * What a lost line or a server in trouble interrupts is kept and noted, so that
 * trying again goes on; what was cancelled or refused leaves nothing behind.
 * Rejects with ApiError, UploadError, or NotRegistered when only the last call
 * is missing.
 */
export async function shareInParts(
  file: File,
  request: PresignRequest | undefined,
  hooks: TransferHooks,
  use: PartsCalls = calls,
): Promise<CommittedFile> {
  hooks.onStage('initializing');
  const run = new Run(file, request, hooks, use);
  sending.set([...sending.get(), file]);
  try {
    const begun = begunOf(file);
    if (begun) {
      try {
        return await run.send(begun);
      } catch (error) {
        if (!isOver(error)) throw error;
        const done = await run.finishedBefore(begun);
        if (done) return done;
        run.forget();
        if (!request) throw new UploadError('gone');
      }
    }
    return await run.send(undefined);
  } catch (error) {
    if (error instanceof NotRegistered || !hooks.signal.aborted) throw error;
    throw new UploadError('aborted', 0, run.discarded);
  } finally {
    sending.set(sending.get().filter((other) => other !== file));
  }
}

class Run {
  /** discarded says whether the server was told of the end; undefined when nobody tried. */
  discarded: boolean | undefined;
  private begun: Begun | undefined;
  private finished: CommittedFile | undefined;

  constructor(
    private readonly file: File,
    private readonly request: PresignRequest | undefined,
    private readonly hooks: TransferHooks,
    private readonly use: PartsCalls,
  ) {}

  async send(resume: Begun | undefined): Promise<CommittedFile> {
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
  async finishedBefore(begun: Begun): Promise<CommittedFile | undefined> {
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

  private backend(): MultipartBackend<CommittedFile> {
    const { signal } = this.hooks;
    return {
      init: async (plan) => {
        if (!this.request) throw new UploadError('gone');
        const ends = await endsOf(this.file);
        const body = { ...this.request, part_size: plan.partSize, part_count: plan.partCount };
        // Not to be stopped half-way: an answer that nobody reads would leave a share that nobody finishes.
        const place = await retried(() => this.use.begin(body), this.use.wait, signal, isRefusedForNow);
        const { file_id, upload_id } = place;
        const { filename: name } = this.request;
        this.begun = noteBegun(this.file, { to: 'share', folder: '', name, ends, file_id, upload_id });
        if (signal.aborted) {
          if (!isPaused(signal)) await this.abort().catch(() => undefined);
          throw new UploadError('aborted');
        }
        return { uploadId: place.upload_id, urls: place.presigned_urls };
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

  private async complete(): Promise<CommittedFile> {
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
