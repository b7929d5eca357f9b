import { dialectOf } from './dialects';
import { frontOf, markdownGroups, restOf, type Group } from './parse';

/** Longer documents are parsed in a worker where there is one, in characters. */
const workerFrom = 64_000;

/**
 * renderedGroups yields a document piece by piece, as unsafe HTML, and lets the
 * page breathe in between. Throws AbortError when the signal fires.
 */
export async function* renderedGroups(text: string, signal?: AbortSignal): AsyncGenerator<Group> {
  const long = text.length >= workerFrom;
  // It starts while the front is drawn.
  const worker = long ? startWorker() : null;
  try {
    const makeDialect = await dialectOf(text);
    signal?.throwIfAborted();
    const dialect = () => makeDialect?.();
    if (!long) {
      yield* markdownGroups(text, dialect());
      return;
    }
    const front = frontOf(text, dialect);
    if (front.group) yield front.group;
    await breath();
    let seen = 0;
    if (worker) {
      try {
        for await (const group of fromWorker(worker, text, signal)) {
          seen++;
          yield group;
          await breath();
        }
        return;
      } catch (error) {
        if (signal?.aborted || seen > 0) throw error;
      }
    }
    for (const group of restOf(text, front, dialect)) {
      signal?.throwIfAborted();
      yield group;
      await breath();
    }
  } finally {
    worker?.terminate();
  }
}

/** breath lets the browser draw and answer before the next piece. */
const breath = () => new Promise((resolve) => setTimeout(resolve));

function startWorker(): Worker | null {
  if (typeof Worker === 'undefined') return null;
  try {
    return new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  } catch {
    return null;
  }
}

async function* fromWorker(worker: Worker, text: string, signal?: AbortSignal): AsyncGenerator<Group> {
  const waiting: (Group | null)[] = [];
  let failed: unknown;
  let wake = () => {};
  const stop = (error: unknown) => {
    failed = error;
    wake();
  };
  const aborted = () => stop(signal?.reason);
  worker.onmessage = (event: MessageEvent<Group | null>) => {
    waiting.push(event.data);
    wake();
  };
  worker.onerror = () => stop(new Error('worker failed'));
  signal?.addEventListener('abort', aborted);
  try {
    signal?.throwIfAborted();
    worker.postMessage(text);
    for (;;) {
      const next = waiting.shift();
      if (next === null) return;
      if (next !== undefined) {
        yield next;
        continue;
      }
      if (failed !== undefined) throw failed;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    signal?.removeEventListener('abort', aborted);
  }
}
