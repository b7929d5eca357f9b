import { makeStore, patch, useStore } from '../../store';
import { atSignOut } from '../atSignOut';
import { dock } from '../dock';
import { previewKind } from './kind';
import { sourcesOf, type Around, type PreviewedFile } from './previewed';

export type Loop = 'off' | 'all' | 'one';

/** Deck is what is playing, and what can follow it. */
interface Deck {
  file: PreviewedFile | undefined;
  /** The sounds of the folder, in its order. */
  names: readonly string[];
  loop: Loop;
  /** broken says that the browser cannot play it. */
  broken: boolean;
}

const empty: Deck = { file: undefined, names: [], loop: 'off', broken: false };
const deck = makeStore(empty);
let around: Around | undefined;
let source = 0;
let player: HTMLAudioElement | undefined;

/** audio is the one element that plays sounds; it outlives the page it was started on. */
export function audio(): HTMLAudioElement {
  if (player) return player;
  player = new Audio();
  player.controls = true;
  player.preload = 'metadata';
  player.addEventListener('error', () => {
    const { file } = deck.get();
    if (file && player?.getAttribute('src')) tryNextSource(file);
  });
  player.addEventListener('ended', () => {
    const { loop } = deck.get();
    if (loop !== 'one') void skip(1, loop === 'all');
  });
  atSignOut(stop);
  return player;
}

/** load puts a sound on the deck, unless it is there already. */
export function load(file: PreviewedFile, folder: Around | undefined): void {
  around = folder;
  const names = (folder?.names ?? []).filter(
    (filename) => previewKind({ filename, mimetype: '', type: 0 }) === 'audio',
  );
  patch(deck, { names });
  const { file: there } = deck.get();
  if (there?.filename !== file.filename || there.viewUrl !== file.viewUrl) put(file);
}

function put(file: PreviewedFile): void {
  source = 0;
  patch(deck, { file, broken: false });
  const element = audio();
  element.src = sourcesOf(file)[0] ?? '';
  element.setAttribute('aria-label', file.filename);
  if ('mediaSession' in navigator) {
    navigator.mediaSession.metadata = new MediaMetadata({ title: file.filename });
    navigator.mediaSession.setActionHandler('previoustrack', () => void skip(-1));
    navigator.mediaSession.setActionHandler('nexttrack', () => void skip(1));
  }
}

/** describe tells the system what is playing, once that is known better than by the file's name. */
export function describe({ title, artist, cover }: { title: string; artist: string; cover: string }): void {
  const { file } = deck.get();
  if (!file || !('mediaSession' in navigator)) return;
  navigator.mediaSession.metadata = new MediaMetadata({
    title: title || file.filename,
    artist,
    artwork: cover ? [{ src: new URL(cover, location.href).href }] : [],
  });
}

function tryNextSource(file: PreviewedFile): void {
  const next = sourcesOf(file)[++source];
  if (next === undefined) patch(deck, { broken: true });
  else audio().src = next;
}

/** neighbour is the name so many places on; undefined at either end, unless the folder goes round. */
export function neighbour(names: readonly string[], name: string, step: number, round: boolean) {
  const at = names.indexOf(name);
  if (at < 0) return undefined;
  return round ? names[(at + step + names.length) % names.length] : names[at + step];
}

/** skip plays the next or previous sound of the folder. */
export async function skip(step: 1 | -1, round = deck.get().loop === 'all'): Promise<void> {
  const { file: before, names } = deck.get();
  const name = before && neighbour(names, before.filename, step, round);
  if (name === undefined || !around) return;
  const next = await around.open(name, AbortSignal.timeout(30_000)).catch(() => undefined);
  // Something else was put on meanwhile.
  if (!next || deck.get().file !== before) return;
  put(next);
  await audio()
    .play()
    .catch(() => undefined);
}

export function setLoop(loop: Loop): void {
  audio().loop = loop === 'one';
  patch(deck, { loop });
}

/** stop ends the sound and forgets what was on the deck, which then stands nowhere any more. */
export function stop(): void {
  player?.pause();
  player?.removeAttribute('src');
  around = undefined;
  patch(deck, { ...empty, loop: deck.get().loop });
  dock(null);
}

export const isPlaying = () => player !== undefined && !player.paused && !player.ended;

export const useDeck = (): Deck => useStore(deck);
