import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react';
import { extensionOf } from './kind';
import type { Attached, Told } from './player';
import { scriptSource, type Around, type PreviewedFile } from './previewed';

const raw = ['flv', 'ts', 'mts', 'm2ts'];

/** isStream says whether a film needs a module of its own to be played: lists of pieces (HLS), FLV, MPEG-TS. */
export const isStream = (filename: string) =>
  extensionOf(filename) === 'm3u8' || raw.includes(extensionOf(filename));

/** Stream is how the playing of a film by a module goes. */
interface Stream {
  /** state is "cut" when a film that had begun cannot go on. */
  state: 'loading' | 'playing' | 'broken' | 'cut';
  /** retry begins again, where the film was when it was cut. */
  retry: () => void;
}

/**
 * useStream plays a film that browsers do not take as it is, by a module that
 * is fetched for it.
 */
export function useStream(
  video: RefObject<HTMLVideoElement | null>,
  file: PreviewedFile | undefined,
  around: Around | undefined,
): Stream {
  const [state, setState] = useState<Stream['state']>('loading');
  const [tries, setTries] = useState(0);
  const from = useRef(0);
  const url = file && scriptSource(file).url;
  const start = useEffectEvent(async (signal: AbortSignal): Promise<Attached | undefined> => {
    const element = video.current;
    if (!element || !file) return undefined;
    const told: Told = {
      playing: () => {
        setState('playing');
        if (from.current > 0) element.currentTime = from.current;
        from.current = 0;
      },
      broken: (begun) => {
        if (!signal.aborted) setState((before) => (begun && before !== 'loading' ? 'cut' : 'broken'));
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
        if (!leave.signal.aborted) setState((before) => (before === 'loading' ? 'broken' : 'cut'));
      },
    );
    return () => {
      leave.abort();
      player?.destroy();
    };
  }, [url, tries]);

  return {
    state,
    retry: () => {
      from.current = video.current?.currentTime ?? 0;
      setState('playing');
      setTries(tries + 1);
    },
  };
}
