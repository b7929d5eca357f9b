import { joinTrace } from '../../api/trace';
import { isPaused, UploadError } from './errors';
import { partSizeFor } from './parts';
import type { PutResult } from './put';

export interface PartUrl {
  partNumber: number;
  url: string;
}

/** A part as the storage has it. */
export interface UploadedPart {
  partNumber: number;
  etag: string;
  /** bytes */
  size: number;
}

/** MultipartPlan is what a backend needs to begin. Sizes in bytes. */
interface MultipartPlan {
  size: number;
  partSize: number;
  partCount: number;
}

/** MultipartBackend drives one kind of multipart upload; `complete` answers T. */
export interface MultipartBackend<T> {
  init(plan: MultipartPlan): Promise<{ uploadId: string; urls: PartUrl[] }>;
  /** listParts answers the parts that have arrived. */
  listParts(uploadId: string): Promise<UploadedPart[]>;
  refreshUrls(uploadId: string, partNumbers: number[]): Promise<PartUrl[]>;
  put(
    url: string,
    body: Blob,
    options: { signal: AbortSignal; onProgress: (sent: number) => void },
  ): Promise<PutResult>;
  /** complete gets all parts in order. */
  complete(uploadId: string, parts: UploadedPart[]): Promise<T>;
  abort(uploadId: string): Promise<void>;
}

type PartState = 'pending' | 'uploading' | 'completed' | 'failed';

export interface MultipartOptions {
  partSize?: number;
  /** Parts in flight at once; 3 by default (§4). */
  concurrency?: number;
  /** Repetitions of a part after its first failure; 3 by default (§4). */
  retries?: number;
  /** Milliseconds before the first repetition; the nth waits n times as long. */
  baseDelay?: number;
  /** An upload ID to go on with. It must belong to the same file and part size. */
  resume?: string | undefined;
  signal?: AbortSignal | undefined;
  /** keeps says which errors leave the upload as it is, to go on later; by default a pause does. */
  keeps?: (error: unknown) => boolean;
  /** Called with the bytes that have arrived or are under way; never falls. */
  onProgress?: (sent: number) => void;
  onPart?: (partNumber: number, state: PartState) => void;
  onStarted?: (uploadId: string) => void;
  /** Waits between repetitions. */
  wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * uploadMultipart sends a file in parts and completes it.
 *
 * A cancelled or failed upload is aborted at the storage, so that nothing is
 * left behind, unless `keeps` says so; what a pause or a closed page leaves can be resumed. Rejects with
 * UploadError for transfers and with the backend's own errors for its calls.
 */
export async function uploadMultipart<T>(
  file: Blob,
  backend: MultipartBackend<T>,
  options: MultipartOptions = {},
): Promise<T> {
  const size = options.partSize ?? partSizeFor(file.size);
  const partCount = Math.max(1, Math.ceil(file.size / size));
  if (options.signal?.aborted) throw new UploadError('aborted');

  const started = await begin(backend, options.resume, { size: file.size, partSize: size, partCount });
  options.onStarted?.(started.uploadId);
  try {
    const run = new Run(file, backend, started, size, partCount, options);
    const parts = await run.all();
    if (options.signal?.aborted) throw new UploadError('aborted');
    return await backend.complete(started.uploadId, parts);
  } catch (error) {
    const keeps = options.keeps ?? (() => isPaused(options.signal));
    if (!keeps(error)) await backend.abort(started.uploadId).catch(() => undefined);
    throw error;
  }
}

interface Started {
  uploadId: string;
  urls: Map<number, string>;
  done: Map<number, UploadedPart>;
}

async function begin<T>(
  backend: MultipartBackend<T>,
  resume: string | undefined,
  plan: MultipartPlan,
): Promise<Started> {
  if (resume === undefined) {
    const { uploadId, urls } = await backend.init(plan);
    return { uploadId, urls: byNumber(urls), done: new Map() };
  }
  const done = new Map<number, UploadedPart>();
  for (const part of await backend.listParts(resume)) {
    // A part of another length belongs to another cut of the file; it is sent anew.
    if (part.size === lengthOf(part.partNumber, plan)) done.set(part.partNumber, part);
  }
  const missing = numbers(plan.partCount).filter((number) => !done.has(number));
  const urls = missing.length > 0 ? await backend.refreshUrls(resume, missing) : [];
  return { uploadId: resume, urls: byNumber(urls), done };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const byNumber = (urls: PartUrl[]) => new Map(urls.map(({ partNumber, url }) => [partNumber, url]));

function lengthOf(partNumber: number, plan: MultipartPlan): number {
  return Math.min(plan.partSize, plan.size - (partNumber - 1) * plan.partSize);
}

const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
  });

/** Run is one pass over the parts that are missing. */
class Run<T> {
  private readonly stop = new AbortController();
  private readonly sent = new Map<number, number>();
  private reported = 0;

  constructor(
    private readonly file: Blob,
    private readonly backend: MultipartBackend<T>,
    private readonly started: Started,
    private readonly size: number,
    private readonly partCount: number,
    private readonly options: MultipartOptions,
  ) {}

  async all(): Promise<UploadedPart[]> {
    const { done } = this.started;
    for (const part of done.values()) {
      this.sent.set(part.partNumber, part.size);
      this.options.onPart?.(part.partNumber, 'completed');
    }
    this.report();
    const queue = numbers(this.partCount).filter((number) => !done.has(number));
    joinTrace(this.stop.signal, this.options.signal);
    const forward = () => this.stop.abort();
    this.options.signal?.addEventListener('abort', forward);
    try {
      const lanes = Math.min(this.options.concurrency ?? 3, queue.length);
      await Promise.all(Array.from({ length: lanes }, () => this.lane(queue)));
    } catch (error) {
      this.stop.abort();
      throw this.options.signal?.aborted ? new UploadError('aborted') : error;
    } finally {
      this.options.signal?.removeEventListener('abort', forward);
    }
    return numbers(this.partCount).flatMap((number) => done.get(number) ?? []);
  }

  private async lane(queue: number[]) {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await this.part(next);
  }

  private async part(partNumber: number) {
    const from = (partNumber - 1) * this.size;
    const body = this.file.slice(from, from + this.size);
    const retries = this.options.retries ?? 3;
    for (let attempt = 0; ; attempt++) {
      this.options.onPart?.(partNumber, 'uploading');
      try {
        const etag = await this.send(partNumber, body);
        this.started.done.set(partNumber, { partNumber, etag, size: body.size });
        this.sent.set(partNumber, body.size);
        this.report();
        this.options.onPart?.(partNumber, 'completed');
        return;
      } catch (error) {
        if (this.stop.signal.aborted) throw new UploadError('aborted');
        this.sent.set(partNumber, 0);
        if (attempt >= retries || isFinal(error)) {
          this.options.onPart?.(partNumber, 'failed');
          throw error instanceof UploadError && error.failure !== 'noETag'
            ? new UploadError('parts', error.status, undefined, error.said)
            : error;
        }
        this.options.onPart?.(partNumber, 'pending');
        await (this.options.wait ?? pause)(
          (this.options.baseDelay ?? 1000) * (attempt + 1),
          this.stop.signal,
        );
        if (this.stop.signal.aborted) throw new UploadError('aborted');
        // An address that is no longer accepted is replaced before the next try.
        if (error instanceof UploadError && error.status === 403) this.started.urls.delete(partNumber);
      }
    }
  }

  private async send(partNumber: number, body: Blob): Promise<string> {
    const { uploadId, urls } = this.started;
    if (!urls.has(partNumber)) {
      for (const fresh of await this.backend.refreshUrls(uploadId, [partNumber])) {
        urls.set(fresh.partNumber, fresh.url);
      }
    }
    const { etag } = await this.backend.put(urls.get(partNumber) ?? '', body, {
      signal: this.stop.signal,
      onProgress: (sent) => {
        this.sent.set(partNumber, sent);
        this.report();
      },
    });
    if (!etag) throw new UploadError('noETag');
    return etag;
  }

  // A part that is sent again does not make the number fall.
  private report() {
    const total = [...this.sent.values()].reduce((sum, sent) => sum + sent, 0);
    if (total > this.reported) {
      this.reported = total;
      this.options.onProgress?.(total);
    }
  }
}

/** isFinal says that repeating cannot help: the storage's CORS rule hides the ETag. */
function isFinal(error: unknown): boolean {
  return error instanceof UploadError && error.failure === 'noETag';
}
