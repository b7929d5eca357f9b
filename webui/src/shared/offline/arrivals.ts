import { handOver } from '../handover';
import { cacheNames, nameHeader } from './cacheNames';

// What comes from outside: texts and files that another app shares with this one (the worker puts them into a cache
// and opens the page with "?shared"), and text files that the system opens with it ("?open").

/** Largest text file that is opened in the editor, in bytes (§9). */
const textLimit = 10 << 20;

/** How long in milliseconds the system may take to hand a file over. */
const launchWithin = 5000;

/** takeText leaves what has arrived as a text for the editor on Home. */
export async function takeText(): Promise<void> {
  const { searchParams } = new URL(location.href);
  if (searchParams.has('shared')) {
    const [text] = await take((place) => place === 'text');
    if (text) handOver({ text: await text.text(), markdown: false });
  } else if (searchParams.has('open')) {
    const file = await launchedFile();
    if (file && file.size <= textLimit) {
      const { isMarkdown } = await import('../preview/kind');
      handOver({ text: await file.text(), markdown: isMarkdown(file.name) });
    }
  }
  arrived();
}

/** takeFiles gives the files that were shared with this app, once. */
export async function takeFiles(): Promise<File[]> {
  if (!new URL(location.href).searchParams.has('shared')) return [];
  const found = await take((place) => place !== 'text');
  arrived();
  return Promise.all(
    found.map(async (response) => {
      const blob = await response.blob();
      return new File([blob], decodeURIComponent(response.headers.get(nameHeader) ?? ''), {
        type: blob.type,
      });
    }),
  );
}

async function take(wanted: (place: string) => boolean): Promise<Response[]> {
  if (!('caches' in globalThis)) return [];
  const cache = await caches.open(cacheNames.shared);
  const found: Response[] = [];
  for (const key of await cache.keys()) {
    if (!wanted(key.url.split('/').at(-1) ?? '')) continue;
    const response = await cache.match(key);
    if (response) found.push(response);
    await cache.delete(key);
  }
  return found;
}

/** arrived takes the mark off the address, so that a reload does not look for it again. */
function arrived(): void {
  history.replaceState(history.state, '', location.pathname);
}

interface LaunchQueue {
  setConsumer: (consumer: (params: { files: readonly FileSystemFileHandle[] }) => void) => void;
}

function launchedFile(): Promise<File | undefined> {
  const { launchQueue } = globalThis as { launchQueue?: LaunchQueue };
  if (!launchQueue) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), launchWithin);
    launchQueue.setConsumer(({ files: [file] }) => {
      if (file) file.getFile().then(resolve, () => resolve(undefined));
      else resolve(undefined);
    });
  });
}
