import { describe, expect, it } from 'vitest';
import { pausing, UploadError } from './errors';
import {
  uploadMultipart,
  type MultipartBackend,
  type MultipartOptions,
  type UploadedPart,
} from './multipart';
import { partSize, partSizeFor } from './parts';

// A storage in memory. Parts are 10 bytes here; the engine takes any size.
class FakeStorage implements MultipartBackend<string> {
  parts = new Map<number, { etag: string; text: string }>();
  puts: number[] = [];
  urls: string[] = [];
  refreshed: number[] = [];
  inits = 0;
  aborted = 0;
  completed: UploadedPart[] | undefined;
  inFlight = 0;
  peak = 0;
  /** Decides what a PUT of a part does; the default is to succeed. */
  onPut: (partNumber: number, attempt: number) => void = () => {};
  etag = (partNumber: number): string | null => `"e${partNumber}"`;

  async init({ partCount }: { partCount: number }) {
    this.inits++;
    const urls = Array.from({ length: partCount }, (_, i) => ({ partNumber: i + 1, url: `u${i + 1}` }));
    return { uploadId: 'up', urls };
  }
  async listParts() {
    return [...this.parts].map(([partNumber, part]) => ({
      partNumber,
      etag: part.etag,
      size: part.text.length,
    }));
  }
  async refreshUrls(_: string, partNumbers: number[]) {
    this.refreshed.push(...partNumbers);
    return partNumbers.map((partNumber) => ({ partNumber, url: `fresh${partNumber}` }));
  }
  async put(
    url: string,
    body: Blob,
    { signal, onProgress }: { signal: AbortSignal; onProgress: (n: number) => void },
  ) {
    const partNumber = Number(url.replace(/\D/g, ''));
    this.urls.push(url);
    this.puts.push(partNumber);
    this.inFlight++;
    this.peak = Math.max(this.peak, this.inFlight);
    try {
      onProgress(1);
      const text = await body.text();
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (signal.aborted) throw new UploadError('aborted');
      this.onPut(partNumber, this.puts.filter((put) => put === partNumber).length);
      const etag = this.etag(partNumber);
      this.parts.set(partNumber, { etag: etag ?? '', text });
      return { etag };
    } finally {
      this.inFlight--;
    }
  }
  async complete(_: string, parts: UploadedPart[]) {
    this.completed = parts;
    return parts.map((part) => this.parts.get(part.partNumber)?.text ?? '').join('');
  }
  async abort() {
    this.aborted++;
  }
}

const text = '0123456789'.repeat(9) + 'tail';
const file = new Blob([text]);

function upload(storage: FakeStorage, options: MultipartOptions = {}) {
  const delays: number[] = [];
  const done = uploadMultipart(file, storage, {
    partSize: 10,
    wait: async (milliseconds) => {
      delays.push(milliseconds);
    },
    ...options,
  });
  return { done, delays };
}

describe('the size of parts', () => {
  it.each([
    [0, partSize],
    [partSize * 10_000, partSize],
    [partSize * 10_000 + 1, partSize * 2],
    [partSize * 25_000, partSize * 3],
  ])('of %i bytes', (size, want) => {
    expect(partSizeFor(size)).toBe(want);
    expect(Math.ceil(size / partSizeFor(size))).toBeLessThanOrEqual(10_000);
  });

  it('is 5 MiB', () => {
    expect(partSize).toBe(5_242_880);
  });
});

describe('uploadMultipart', () => {
  it('sends every byte once, three parts at a time, and completes in order', async () => {
    const storage = new FakeStorage();
    await expect(upload(storage).done).resolves.toBe(text);
    expect(storage.peak).toBe(3);
    expect(storage.puts).toHaveLength(10);
    expect(storage.completed?.map((part) => part.partNumber)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(storage.completed?.at(-1)).toEqual({ partNumber: 10, etag: '"e10"', size: 4 });
    expect(storage.aborted).toBe(0);
  });

  it('sends an empty file as one empty part', async () => {
    const storage = new FakeStorage();
    await expect(uploadMultipart(new Blob([]), storage, { partSize: 10 })).resolves.toBe('');
    expect(storage.puts).toEqual([1]);
  });

  it('repeats a part three times with growing delays, then gives up and leaves nothing behind', async () => {
    const storage = new FakeStorage();
    storage.onPut = (partNumber) => {
      if (partNumber === 2) throw new UploadError('http', 500);
    };
    const { done, delays } = upload(storage);
    await expect(done).rejects.toMatchObject({ failure: 'parts', status: 500 });
    expect(delays).toEqual([1000, 2000, 3000]);
    expect(storage.puts.filter((put) => put === 2)).toHaveLength(4);
    expect(storage.aborted).toBe(1);
    expect(storage.completed).toBeUndefined();
  });

  it('goes on when a repetition succeeds', async () => {
    const storage = new FakeStorage();
    storage.onPut = (partNumber, attempt) => {
      if (partNumber === 4 && attempt < 3) throw new UploadError('network');
    };
    const { done, delays } = upload(storage);
    await expect(done).resolves.toBe(text);
    expect(delays).toEqual([1000, 2000]);
  });

  it('asks for a fresh address after a 403', async () => {
    const storage = new FakeStorage();
    storage.onPut = (partNumber, attempt) => {
      if (partNumber === 5 && attempt === 1) throw new UploadError('http', 403);
    };
    await expect(upload(storage).done).resolves.toBe(text);
    expect(storage.refreshed).toEqual([5]);
    expect(storage.urls).toContain('fresh5');
  });

  it('does not repeat when the storage hides the ETag', async () => {
    const storage = new FakeStorage();
    storage.etag = () => null;
    const { done, delays } = upload(storage);
    await expect(done).rejects.toMatchObject({ failure: 'noETag' });
    expect(delays).toEqual([]);
    expect(storage.aborted).toBe(1);
  });

  it('stops in flight and aborts at the storage when cancelled', async () => {
    const storage = new FakeStorage();
    const stop = new AbortController();
    storage.onPut = (partNumber) => {
      if (partNumber === 3) stop.abort();
    };
    await expect(upload(storage, { signal: stop.signal }).done).rejects.toMatchObject({ failure: 'aborted' });
    expect(storage.aborted).toBe(1);
    expect(storage.puts.length).toBeLessThan(10);
    expect(storage.completed).toBeUndefined();
  });

  it('does not begin when it was cancelled before', async () => {
    const storage = new FakeStorage();
    const stop = new AbortController();
    stop.abort();
    await expect(upload(storage, { signal: stop.signal }).done).rejects.toMatchObject({ failure: 'aborted' });
    expect(storage.inits).toBe(0);
  });

  it('tells progress that never falls and ends at the size', async () => {
    const storage = new FakeStorage();
    const seen: number[] = [];
    storage.onPut = (partNumber, attempt) => {
      if (partNumber === 6 && attempt === 1) throw new UploadError('network');
    };
    await upload(storage, { onProgress: (sent) => seen.push(sent) }).done;
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(file.size);
  });

  it('tells the state of each part', async () => {
    const storage = new FakeStorage();
    const states: string[] = [];
    storage.onPut = (partNumber, attempt) => {
      if (partNumber === 1 && attempt === 1) throw new UploadError('network');
    };
    await upload(storage, { onPart: (number, state) => number === 1 && states.push(state) }).done;
    expect(states).toEqual(['uploading', 'pending', 'uploading', 'completed']);
  });
});

describe('resuming', () => {
  it('sends only what is missing, to fresh addresses', async () => {
    const storage = new FakeStorage();
    for (const number of [1, 2, 7]) {
      storage.parts.set(number, { etag: `"old${number}"`, text: '0123456789' });
    }
    await expect(upload(storage, { resume: 'up' }).done).resolves.toBe(text);
    expect(storage.inits).toBe(0);
    expect([...storage.puts].sort((a, b) => a - b)).toEqual([3, 4, 5, 6, 8, 9, 10]);
    expect(storage.completed?.[0]?.etag).toBe('"old1"');
  });

  it('completes at once when nothing is missing', async () => {
    const storage = new FakeStorage();
    for (let number = 1; number <= 10; number++) {
      storage.parts.set(number, { etag: `"o${number}"`, text: number === 10 ? 'tail' : '0123456789' });
    }
    await expect(upload(storage, { resume: 'up' }).done).resolves.toBe(text);
    expect(storage.puts).toEqual([]);
    expect(storage.refreshed).toEqual([]);
  });

  it('sends a part again whose length does not fit', async () => {
    const storage = new FakeStorage();
    storage.parts.set(1, { etag: '"short"', text: '01234' });
    await expect(upload(storage, { resume: 'up' }).done).resolves.toBe(text);
    expect(storage.puts).toContain(1);
  });
});

describe('a pause', () => {
  it('leaves what has arrived, for an upload that goes on later', async () => {
    const storage = new FakeStorage();
    const stop = new AbortController();
    storage.onPut = (partNumber) => {
      if (partNumber === 4) stop.abort(pausing);
    };
    const { done } = upload(storage, { signal: stop.signal });
    await expect(done).rejects.toMatchObject({ failure: 'aborted' });
    expect(storage.aborted).toBe(0);
    const before = storage.puts.length;
    storage.onPut = () => {};
    expect(await upload(storage, { resume: 'up' }).done).toBe(text);
    expect(storage.puts.length - before).toBeLessThan(10);
  });
});
