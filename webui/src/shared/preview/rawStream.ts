import { extensionOf } from './kind';
import { loadText } from './loadText';
import type { Attached, Told } from './player';
import { scriptSource, type PreviewedFile } from './previewed';

/** Bytes that tell what a file is: three packets of the longer kind. */
const head = 600;

/**
 * attachRaw plays FLV and MPEG-TS by turning them into what browsers take, as
 * far as one watches. Rejects for files that only have such a name, and in
 * browsers that it cannot work in.
 */
export async function attachRaw(
  video: HTMLVideoElement,
  file: PreviewedFile,
  told: Told,
  signal: AbortSignal,
): Promise<Attached | undefined> {
  const source = scriptSource(file);
  const type = typeOf(await loadText(source, head, signal));
  if (!type) throw new Error(`no film is in a .${extensionOf(file.filename)} that begins like this`);
  const { default: mpegts } = await import('mpegts.js');
  if (signal.aborted) return undefined;
  if (!mpegts.isSupported()) throw new Error('no media source in this browser');
  mpegts.LoggingControl.enableAll = false;
  const player = mpegts.createPlayer(
    { type, isLive: false, url: new URL(source.url, location.href).href, filesize: file.size },
    {
      enableWorker: false,
      autoCleanupSourceBuffer: true,
      ...(source.headers && { headers: source.headers }),
    },
  );
  // A film without sound is never told of by the player; the element knows it a moment later.
  let begun = false;
  const begin = () => {
    if (!begun) told.playing();
    begun = true;
  };
  player.on(mpegts.Events.MEDIA_INFO, begin);
  video.addEventListener('loadedmetadata', begin, { once: true, signal });
  player.on(mpegts.Events.ERROR, () => told.broken(true));
  player.attachMediaElement(video);
  player.load();
  return player;
}

/** typeOf reads from a file's beginning which of the two it is; TypeScript is called .ts as well. */
export function typeOf(bytes: Uint8Array): 'flv' | 'mpegts' | undefined {
  if (bytes[0] === 0x46 && bytes[1] === 0x4c && bytes[2] === 0x56) return 'flv';
  const packed = [
    { first: 0, length: 188 },
    { first: 4, length: 192 },
  ].some(({ first, length }) => [0, 1, 2].every((packet) => bytes[first + packet * length] === 0x47));
  return packed ? 'mpegts' : undefined;
}
