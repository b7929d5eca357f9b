import { useEffect, useEffectEvent, useState, type RefObject } from 'react';
import { extensionOf } from './kind';
import { scriptSource, type Around, type PreviewedFile } from './previewed';

/** Told is what a player of streams reports. */
export interface Told {
  playing: () => void;
  broken: () => void;
}

/** Attached is a player that feeds an element until it is destroyed. */
export interface Attached {
  destroy: () => void;
}

const raw = ['flv', 'ts', 'mts', 'm2ts'];

/** isStream says whether a film needs a module of its own to be played: lists of pieces (HLS), FLV, MPEG-TS. */
export const isStream = (filename: string) =>
  extensionOf(filename) === 'm3u8' || raw.includes(extensionOf(filename));

/**
 * useStream plays a film that browsers do not take as it is, by a module that
 * is fetched for it. Answers whether it plays, and whether it cannot.
 */
export function useStream(
  video: RefObject<HTMLVideoElement | null>,
  file: PreviewedFile | undefined,
  around: Around | undefined,
): [playing: boolean, broken: boolean] {
  const [state, setState] = useState<'loading' | 'playing' | 'broken'>('loading');
  const url = file && scriptSource(file).url;
  const start = useEffectEvent(async (signal: AbortSignal): Promise<Attached | undefined> => {
    const element = video.current;
    if (!element || !file) return undefined;
    const told: Told = {
      playing: () => setState('playing'),
      broken: () => {
        if (!signal.aborted) setState('broken');
      },
    };
    if (extensionOf(file.filename) === 'm3u8')
      return (await import('./pieces')).attachPieces(element, file, around, told, signal);
    return (await import('./rawStream')).attachRaw(element, file, told, signal);
  });

  useEffect(() => {
    if (url === undefined) return;
    const leave = new AbortController();
    let player: Attached | undefined;
    start(leave.signal).then(
      (made) => {
        player = made;
        if (leave.signal.aborted) player?.destroy();
      },
      () => {
        if (!leave.signal.aborted) setState('broken');
      },
    );
    return () => {
      leave.abort();
      player?.destroy();
    };
  }, [url]);

  return [state === 'playing', state === 'broken'];
}
