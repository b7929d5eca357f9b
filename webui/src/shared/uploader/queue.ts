import { isAborted } from '../../api/client';
import { beginTrace } from '../../api/trace';
import { makeStore, type Followed } from '../../store';
import { isCancelled, isPaused, NotRegistered, pausing } from './errors';
import type { Stage, TransferHooks } from './share';
import { SpeedMeter } from './speed';

/** Files that are sent at the same time. */
const parallelFiles = 3;

/** "unregistered": all bytes arrived, but the server has not noted the share yet. */
type ItemStatus = 'pending' | 'uploading' | 'paused' | 'success' | 'error' | 'cancelled' | 'unregistered';

/**
 * Destination is what a file becomes: a share, a file in a folder of a mount, one that was sent to a request, or a share
 * that a text shows and lists itself.
 */
export type Destination = 'share' | 'mount' | 'request' | 'text';

/** An UploadItem is one file of the list, as it stands now. */
export interface UploadItem<T> {
  id: number;
  file: File;
  /** The name it will be shared under. */
  name: string;
  /** queued is true while a pending file waits for its turn. */
  queued: boolean;
  to: Destination;
  /**
   * Of a share the folder of a dropped directory, without slash at either end, "" for single files;
   * in a mount the whole path of the folder it goes to; of a request its slug.
   */
  folder: string;
  status: ItemStatus;
  stage: Stage;
  /** Bytes sent. */
  sent: number;
  /** Bytes per second; null while unknown. */
  speed: number | null;
  /** Seconds left; null while unknown. */
  remaining: number | null;
  error: unknown;
  result: T | undefined;
  /** link is what the owner has asked for beside the terms of its share: only this page knows it. */
  link?: { password: string; tell: boolean };
}

/** What the whole list adds up to, over the files of the current run. */
export interface UploadTotals {
  files: number;
  done: number;
  failed: number;
  active: boolean;
  bytes: number;
  sent: number;
  speed: number | null;
  remaining: number | null;
}

interface UploadSnapshot<T> {
  items: readonly UploadItem<T>[];
  totals: UploadTotals;
}

/** Transfer moves one file; `index` counts from 0 in the run and `count` is the run's number of files. */
export type Transfer<T> = (
  item: UploadItem<T>,
  place: { index: number; count: number },
  hooks: TransferHooks,
) => Promise<T>;

interface Job<T> {
  stop: AbortController;
  meter: SpeedMeter;
  run: (hooks: TransferHooks) => Promise<T>;
}

/**
 * UploadQueue holds the files a person chose and sends them, three at a time.
 * It knows nothing of addresses: a Transfer moves the bytes.
 */
export class UploadQueue<T> implements Followed<UploadSnapshot<T>> {
  private items: UploadItem<T>[] = [];
  private waiting: number[] = [];
  private readonly jobs = new Map<number, Job<T>>();
  private readonly again = new Map<number, NotRegistered<T>>();
  private readonly places = new Map<number, { index: number; count: number }>();
  private run = new Set<number>();
  private runMeter = new SpeedMeter();
  private readonly transfers = new Map<number, Transfer<T>>();
  private nextId = 1;
  private readonly state = makeStore(this.takeSnapshot());
  readonly get = this.state.get;
  readonly subscribe = this.state.subscribe;

  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly onSettled: (item: UploadItem<T>) => void = () => {},
  ) {}

  /** add puts files on the list; those that are there already are returned instead. One that was cancelled or has failed begins anew. */
  add(files: readonly { file: File; folder?: string; to?: Destination }[]): File[] {
    const skipped: File[] = [];
    for (const { file, folder = '', to = 'share' } of files) {
      const twin = this.items.find(
        (item) => isSame(item.file, file) && item.to === to && item.folder === folder,
      );
      if (twin && twin.status !== 'cancelled' && twin.status !== 'error') {
        skipped.push(file);
        continue;
      }
      if (twin) this.remove(twin.id);
      const fresh = { status: 'pending', stage: 'starting', sent: 0, speed: null, remaining: null } as const;
      const item = {
        ...fresh,
        id: this.nextId++,
        file,
        name: file.name,
        queued: false,
        to,
        folder,
        error: undefined,
        result: undefined,
      };
      this.items = [...this.items, item];
    }
    this.changed();
    return skipped;
  }

  rename(id: number, name: string) {
    this.change(id, { name });
  }

  /** ask notes what the owner has asked for beside the terms of a share. */
  ask(id: number, link: { password: string; tell: boolean }) {
    this.change(id, { link });
  }

  /** amend replaces what a finished file has become, after it was changed elsewhere. */
  amend(id: number, result: T) {
    this.change(id, { result });
  }

  /** become makes something else of a finished file, for who lists it. */
  become(id: number, to: Destination) {
    this.change(id, { to });
  }

  /** start sends the pending files with the transfer given, all or only those named. */
  start(transfer: Transfer<T>, only?: readonly number[]) {
    const pending = this.items.filter(
      ({ id, status, queued }) => status === 'pending' && !queued && (!only || only.includes(id)),
    );
    if (this.isIdle()) this.run = new Set();
    pending.forEach((item, index) => {
      this.places.set(item.id, { index, count: pending.length });
      this.transfers.set(item.id, transfer);
      this.enqueue(item.id);
    });
    this.pump();
  }

  /** retry sends one failed or cancelled file again; of an unregistered one only the commit is repeated. */
  retry(id: number, transfer?: Transfer<T>) {
    if (transfer) this.transfers.set(id, transfer);
    const item = this.find(id);
    if (!item || !['error', 'cancelled', 'unregistered'].includes(item.status)) return;
    const commitOnly = item.status === 'unregistered';
    this.change(id, {
      status: 'pending',
      error: undefined,
      sent: commitOnly ? item.sent : 0,
      stage: 'starting',
    });
    this.enqueue(id);
    this.pump();
  }

  cancel(id: number) {
    const job = this.jobs.get(id);
    if (job) {
      job.stop.abort();
      return;
    }
    if (this.waiting.includes(id)) {
      this.waiting = this.waiting.filter((waiting) => waiting !== id);
      this.change(id, { status: 'cancelled', queued: false });
    } else if (this.find(id)?.status === 'paused') this.change(id, { status: 'cancelled' });
  }

  /** pause stops a file that is sent or waits for its turn; what has arrived is kept where it can be. */
  pause(id: number) {
    const job = this.jobs.get(id);
    if (job) job.stop.abort(pausing);
    else if (this.waiting.includes(id)) {
      this.waiting = this.waiting.filter((waiting) => waiting !== id);
      this.change(id, { status: 'paused', queued: false });
    }
  }

  pauseAll() {
    for (const id of [...this.waiting, ...this.jobs.keys()]) this.pause(id);
  }

  /** resume goes on with a paused file. */
  resume(id: number) {
    if (this.find(id)?.status !== 'paused') return;
    this.change(id, { status: 'pending', stage: 'starting' });
    this.enqueue(id);
    this.pump();
  }

  resumeAll() {
    for (const { id } of this.items) this.resume(id);
  }

  cancelAll() {
    for (const id of [...this.waiting, ...this.jobs.keys()]) this.cancel(id);
  }

  /** remove takes a file off the list; one that is being sent stays. */
  remove(id: number) {
    if (this.jobs.has(id)) return;
    this.waiting = this.waiting.filter((waiting) => waiting !== id);
    this.run.delete(id);
    this.again.delete(id);
    this.transfers.delete(id);
    this.places.delete(id);
    this.items = this.items.filter((item) => item.id !== id);
    this.changed();
  }

  /** clear empties the list but for the files that are being sent. */
  clear() {
    for (const item of this.items) this.remove(item.id);
  }

  /** reset stops everything and forgets all files, for instance after sign-out. */
  reset() {
    this.cancelAll();
    this.items = [];
    this.run.clear();
    this.again.clear();
    this.changed();
  }

  private isIdle(): boolean {
    return this.jobs.size === 0 && this.waiting.length === 0;
  }

  private enqueue(id: number) {
    // The time in which nothing was sent is not part of the rate.
    if (this.isIdle()) this.runMeter = new SpeedMeter();
    this.run.add(id);
    this.waiting.push(id);
    this.change(id, { queued: true });
  }

  private pump() {
    while (this.jobs.size < parallelFiles) {
      const id = this.waiting.shift();
      if (id === undefined) break;
      const item = this.find(id);
      const transfer = this.transfers.get(id);
      if (item && transfer) void this.send(item, transfer);
    }
    this.changed();
  }

  private async send(item: UploadItem<T>, transfer: Transfer<T>) {
    const { id } = item;
    const unregistered = this.again.get(id);
    const place = this.places.get(id) ?? { index: 0, count: 1 };
    const job: Job<T> = {
      stop: new AbortController(),
      meter: new SpeedMeter(),
      run: (hooks) => (unregistered ? unregistered.commit(hooks.signal) : transfer(item, place, hooks)),
    };
    this.jobs.set(id, job);
    beginTrace(job.stop.signal);
    this.change(id, { status: 'uploading', queued: false, stage: 'starting', error: undefined });
    try {
      const result = await job.run({
        signal: job.stop.signal,
        onStage: (stage) => this.change(id, { stage }),
        onSent: (sent) => this.sent(id, job, sent),
      });
      this.again.delete(id);
      this.settle(id, {
        status: 'success',
        stage: 'completed',
        sent: item.file.size,
        result,
        error: undefined,
      });
    } catch (error) {
      const stopped = isPaused(job.stop.signal) && isCancelled(error);
      this.settle(id, stopped ? { status: 'paused' } : this.failure(id, error));
    }
  }

  private failure(id: number, error: unknown): Partial<UploadItem<T>> {
    if (error instanceof NotRegistered) {
      this.again.set(id, error as NotRegistered<T>);
      return { status: 'unregistered', error: error.cause };
    }
    if (this.again.has(id)) return { status: 'unregistered', error };
    return { status: isCancelled(error) || isAborted(error) ? 'cancelled' : 'error', error };
  }

  private sent(id: number, job: Job<T>, bytes: number) {
    const item = this.find(id);
    if (!item) return;
    const sent = Math.max(item.sent, bytes);
    job.meter.add(sent, this.now());
    const left = item.file.size - sent;
    this.items = this.items.map((other) =>
      other.id === id
        ? { ...other, sent, speed: job.meter.rate(), remaining: job.meter.remaining(left) }
        : other,
    );
    this.runMeter.add(this.bytesSent(), this.now());
    this.changed();
  }

  private settle(id: number, change: Partial<UploadItem<T>>) {
    this.jobs.delete(id);
    this.change(id, { ...change, speed: null, remaining: null });
    const item = this.find(id);
    if (item) this.onSettled(item);
    this.pump();
  }

  private find(id: number): UploadItem<T> | undefined {
    return this.items.find((item) => item.id === id);
  }

  private change(id: number, change: Partial<UploadItem<T>>) {
    this.items = this.items.map((item) => (item.id === id ? { ...item, ...change } : item));
    this.changed();
  }

  private changed() {
    this.state.set(this.takeSnapshot());
  }

  // Cancelled files leave the sum, so that the bar can reach its end.
  private inRun(): UploadItem<T>[] {
    return this.items.filter((item) => this.run.has(item.id) && item.status !== 'cancelled');
  }

  private bytesSent(): number {
    return this.inRun().reduce((sum, item) => sum + item.sent, 0);
  }

  private takeSnapshot(): UploadSnapshot<T> {
    const run = this.inRun();
    const bytes = run.reduce((sum, item) => sum + item.file.size, 0);
    const sent = run.reduce((sum, item) => sum + item.sent, 0);
    const active = !this.isIdle();
    const totals: UploadTotals = {
      files: run.length,
      done: run.filter((item) => item.status === 'success').length,
      failed: run.filter((item) => item.status === 'error' || item.status === 'unregistered').length,
      active,
      bytes,
      sent,
      speed: active ? this.runMeter.rate() : null,
      remaining: active ? this.runMeter.remaining(bytes - sent) : null,
    };
    return { items: this.items, totals };
  }
}

/** isSame says whether two choices are one file: same name, size and time. */
export function isSame(a: File, b: File): boolean {
  return a.name === b.name && a.size === b.size && a.lastModified === b.lastModified;
}

/** percentOf is how much of something has gone, in whole percent; of an empty file all has. */
export const percentOf = (sent: number, bytes: number): number =>
  bytes > 0 ? Math.floor((sent / bytes) * 100) : 100;
