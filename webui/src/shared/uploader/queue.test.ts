import { describe, expect, it } from 'vitest';
import { isPaused, NotRegistered, UploadError } from './errors';
import { UploadQueue, type Transfer, type UploadItem } from './queue';
import type { TransferHooks } from './share';
import { SpeedMeter } from './speed';

const fileOf = (name: string, size = 10) => new File(['x'.repeat(size)], name, { lastModified: 1 });

interface Running {
  item: UploadItem<string>;
  place: { index: number; count: number };
  hooks: TransferHooks;
  resolve: (result: string) => void;
  reject: (error: unknown) => void;
}

function setUp() {
  let now = 0;
  const running: Running[] = [];
  const queue = new UploadQueue<string>(() => now);
  const transfer: Transfer<string> = (item, place, hooks) =>
    new Promise((resolve, reject) => {
      running.push({ item, place, hooks, resolve, reject });
      hooks.signal.addEventListener('abort', () => reject(new UploadError('aborted')));
    });
  const add = (...names: string[]) => queue.add(names.map((name) => ({ file: fileOf(name) })));
  const settled = () => new Promise((resolve) => setTimeout(resolve));
  const states = () => queue.get().items.map((item) => item.status);
  return { queue, running, transfer, add, settled, states, tick: (ms: number) => (now += ms) };
}

describe('the list', () => {
  it('takes files once, by name, size and time', () => {
    const { queue, add } = setUp();
    add('a', 'b');
    const skipped = queue.add([
      { file: fileOf('a') },
      { file: fileOf('a', 11) },
      { file: fileOf('a'), folder: 'sub' },
    ]);
    expect(skipped.map((file) => file.size)).toEqual([10]);
    expect(queue.get().items).toHaveLength(4);
  });

  it('takes a file again that was cancelled or has failed (§4, upload stages)', async () => {
    const { queue, running, transfer, add, settled, states } = setUp();
    add('a', 'b', 'c');
    queue.start(transfer);
    queue.cancel(1);
    running[1]?.reject(new UploadError('network'));
    await settled();
    expect(states()).toEqual(['cancelled', 'error', 'uploading']);
    const skipped = queue.add(['a', 'b', 'c'].map((name) => ({ file: fileOf(name) })));
    expect(skipped.map((file) => file.name)).toEqual(['c']);
    expect(queue.get().items.map(({ name, status }) => [name, status])).toEqual([
      ['c', 'uploading'],
      ['a', 'pending'],
      ['b', 'pending'],
    ]);
    queue.start(transfer);
    expect(running).toHaveLength(5);
  });

  it('keeps running files when it is cleared', async () => {
    const { queue, running, transfer, add, settled } = setUp();
    add('a', 'b', 'c', 'd');
    queue.start(transfer);
    queue.clear();
    expect(queue.get().items.map((item) => item.name)).toEqual(['a', 'b', 'c']);
    running.forEach(({ resolve }) => resolve('ok'));
    await settled();
    expect(running).toHaveLength(3);
  });
});

describe('sending', () => {
  it('has three files in flight and begins the next when one ends', async () => {
    const { queue, running, transfer, add, settled, states } = setUp();
    add('a', 'b', 'c', 'd', 'e');
    queue.start(transfer);
    expect(states()).toEqual(['uploading', 'uploading', 'uploading', 'pending', 'pending']);
    running[1]?.resolve('ok');
    await settled();
    expect(states()).toEqual(['uploading', 'success', 'uploading', 'uploading', 'pending']);
    expect(running.map(({ place }) => place)).toEqual([0, 1, 2, 3].map((index) => ({ index, count: 5 })));
  });

  it('sends each file as it was started, also those that wait', async () => {
    const { queue, running, transfer, add, settled } = setUp();
    const other: string[] = [];
    add('a', 'b', 'c', 'd');
    queue.start(transfer);
    expect(queue.get().items.map(({ queued }) => queued)).toEqual([false, false, false, true]);
    add('e');
    queue.start(async (item) => {
      other.push(item.name);
      return 'ok';
    });
    running.forEach(({ resolve }) => resolve('ok'));
    await settled();
    expect(running.map(({ item }) => item.name)).toEqual(['a', 'b', 'c', 'd']);
    expect(other).toEqual(['e']);
  });

  it('sends only the files that are named, and leaves the others', () => {
    const { queue, transfer, add, states } = setUp();
    add('a', 'b');
    queue.start(transfer, [queue.get().items[1]?.id ?? 0]);
    expect(states()).toEqual(['pending', 'uploading']);
    expect(queue.get().items[0]?.queued).toBe(false);
  });

  it('replaces what a finished file has become', async () => {
    const { queue, running, transfer, add, settled } = setUp();
    add('a');
    queue.start(transfer);
    running[0]?.resolve('old');
    await settled();
    queue.amend(queue.get().items[0]?.id ?? 0, 'new');
    expect(queue.get().items[0]?.result).toBe('new');
  });

  it('sends a file whose name was changed under its new name', () => {
    const { queue, running, transfer, add } = setUp();
    add('a');
    queue.rename(queue.get().items[0]?.id ?? 0, 'z');
    queue.start(transfer);
    expect(running[0]?.item.name).toBe('z');
  });

  it('goes on after one file failed, and counts it', async () => {
    const { queue, running, transfer, add, settled, states } = setUp();
    add('a', 'b');
    queue.start(transfer);
    running[0]?.reject(new UploadError('network'));
    running[1]?.resolve('ok');
    await settled();
    expect(states()).toEqual(['error', 'success']);
    expect(queue.get().totals).toMatchObject({ files: 2, done: 1, failed: 1, active: false });
  });

  it('cancels one file in flight and one that waits', async () => {
    const { queue, transfer, add, settled, states } = setUp();
    add('a', 'b', 'c', 'd');
    queue.start(transfer);
    const ids = queue.get().items.map((item) => item.id);
    queue.cancel(ids[0] ?? 0);
    queue.cancel(ids[3] ?? 0);
    await settled();
    expect(states()).toEqual(['cancelled', 'uploading', 'uploading', 'cancelled']);
    queue.cancelAll();
    await settled();
    expect(states()).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled']);
  });

  it('repeats a failed file from the start', async () => {
    const { queue, running, transfer, add, settled, states } = setUp();
    add('a');
    queue.start(transfer);
    running[0]?.hooks.onSent(7);
    running[0]?.reject(new UploadError('http', 500));
    await settled();
    queue.retry(queue.get().items[0]?.id ?? 0);
    expect(queue.get().items[0]).toMatchObject({ status: 'uploading', sent: 0, error: undefined });
    running[1]?.resolve('ok');
    await settled();
    expect(states()).toEqual(['success']);
  });

  it('repeats only the commit of an unregistered file', async () => {
    const { queue, running, transfer, add, settled, states } = setUp();
    let commits = 0;
    add('a');
    queue.start(transfer);
    const commit = async () => {
      commits++;
      if (commits === 1) throw new UploadError('network');
      return 'ok';
    };
    running[0]?.reject(new NotRegistered(commit, new Error('down')));
    await settled();
    expect(states()).toEqual(['unregistered']);
    const id = queue.get().items[0]?.id ?? 0;
    queue.retry(id);
    await settled();
    expect(states()).toEqual(['unregistered']);
    queue.retry(id);
    await settled();
    expect(states()).toEqual(['success']);
    expect(running).toHaveLength(1);
  });
});

describe('resetting', () => {
  it('stops what runs and leaves nothing on the list', async () => {
    const { queue, running, transfer, add, settled } = setUp();
    add('a', 'b', 'c', 'd');
    queue.start(transfer);
    queue.reset();
    await settled();
    expect(running.every(({ hooks }) => hooks.signal.aborted)).toBe(true);
    expect(running).toHaveLength(3);
    expect(queue.get()).toMatchObject({ items: [], totals: { files: 0, active: false } });
  });
});

describe('progress', () => {
  it('adds up bytes, speed over three seconds and time left', () => {
    const { queue, running, transfer, add, tick } = setUp();
    add('a', 'b');
    queue.start(transfer);
    running[0]?.hooks.onSent(0);
    tick(1000);
    running[0]?.hooks.onSent(5);
    expect(queue.get().items[0]).toMatchObject({ sent: 5, speed: 5, remaining: 1 });
    expect(queue.get().totals).toMatchObject({ bytes: 20, sent: 5, speed: 5, remaining: 3 });
  });

  it('never falls within one try', () => {
    const { queue, running, transfer, add } = setUp();
    add('a');
    queue.start(transfer);
    running[0]?.hooks.onSent(8);
    running[0]?.hooks.onSent(3);
    expect(queue.get().items[0]?.sent).toBe(8);
  });

  it('gives a new snapshot for each change and the same one in between', () => {
    const { queue, add } = setUp();
    const before = queue.get();
    expect(queue.get()).toBe(before);
    add('a');
    expect(queue.get()).not.toBe(before);
  });
});

describe('SpeedMeter', () => {
  it('forgets what is older than three seconds', () => {
    const meter = new SpeedMeter();
    meter.add(0, 0);
    meter.add(1_000_000, 1000);
    for (let second = 2; second <= 6; second++) meter.add(1_000_000 + (second - 1) * 100, second * 1000);
    expect(meter.rate()).toBe(100);
    expect(meter.remaining(1000)).toBe(10);
  });

  it('says nothing before it knows', () => {
    const meter = new SpeedMeter();
    meter.add(0, 0);
    meter.add(10, 100);
    expect(meter.rate()).toBeNull();
    expect(meter.remaining(1)).toBeNull();
  });
});

describe('pausing', () => {
  it('stops a file for a while and lets the next one go', async () => {
    const { queue, running, transfer, add, settled, states } = setUp();
    add('a', 'b', 'c', 'd');
    queue.start(transfer);
    const first = running[0];
    if (!first) throw new Error('nothing runs');
    first.hooks.onSent(4);
    queue.pause(first.item.id);
    await settled();
    expect(isPaused(first.hooks.signal)).toBe(true);
    expect(states()).toEqual(['paused', 'uploading', 'uploading', 'uploading']);
    expect(queue.get().items[0]?.sent).toBe(4);

    queue.resume(first.item.id);
    expect(running).toHaveLength(4);
    running[1]?.resolve('ok');
    await settled();
    expect(running).toHaveLength(5);
    expect(running[4]?.item.name).toBe('a');
    running.slice(2).forEach(({ resolve }) => resolve('ok'));
    await settled();
    expect(states()).toEqual(['success', 'success', 'success', 'success']);
  });

  it('holds all files, and those that wait do not begin', async () => {
    const { queue, running, transfer, add, settled, states } = setUp();
    add('a', 'b', 'c', 'd');
    queue.start(transfer);
    queue.pauseAll();
    await settled();
    expect(states()).toEqual(['paused', 'paused', 'paused', 'paused']);
    expect(queue.get().totals.active).toBe(false);
    queue.resumeAll();
    expect(running).toHaveLength(6);
  });

  it('is not part of the rate', async () => {
    const { queue, running, transfer, settled, tick } = setUp();
    queue.add([{ file: fileOf('a', 100) }]);
    queue.start(transfer);
    running[0]?.hooks.onSent(0);
    tick(1000);
    running[0]?.hooks.onSent(50);
    expect(queue.get().totals).toMatchObject({ speed: 50, remaining: 1 });
    queue.pauseAll();
    await settled();
    tick(60_000);
    queue.resumeAll();
    expect(queue.get().totals).toMatchObject({ speed: null, remaining: null });
    running[1]?.hooks.onSent(50);
    tick(1000);
    running[1]?.hooks.onSent(60);
    expect(queue.get().totals).toMatchObject({ speed: 10, remaining: 4 });
  });

  it('can end in cancelling', async () => {
    const { queue, transfer, add, settled, states } = setUp();
    add('a');
    queue.start(transfer);
    queue.pauseAll();
    await settled();
    queue.cancel(queue.get().items[0]?.id ?? 0);
    expect(states()).toEqual(['cancelled']);
  });
});
