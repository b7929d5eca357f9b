import { dialectOf } from './dialects';
import { longDocument, markdownGroups, type Group } from './parse';

/** Longer documents are parsed in a worker where there is one, in characters. */
const workerFrom = 64_000;

/**
 * renderedGroups yields a document piece by piece, as unsafe HTML, and lets the
 * page breathe in between. Throws AbortError when the signal fires.
 */
export async function* renderedGroups(text: string, signal?: AbortSignal): AsyncGenerator<Group> {
  const worker = text.length >= workerFrom ? startWorker() : null;
  if (worker) {
    let seen = 0;
    try {
      for await (const group of fromWorker(worker, text, signal)) {
        seen++;
        yield group;
        await breath();
      }
      return;
    } catch (error) {
      if (signal?.aborted || seen > 0) throw error;
    } finally {
      worker.terminate();
    }
  }
  const makeDialect = await dialectOf(text);
  const dialect = () => makeDialect?.();
  const groups = text.length < workerFrom ? markdownGroups(text, dialect()) : longDocument(text, dialect);
  for (const group of groups) {
    signal?.throwIfAborted();
    yield group;
    if (text.length >= workerFrom) await breath();
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
