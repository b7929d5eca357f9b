import { useEffect, useEffectEvent, useState } from 'react';
import { language } from '../../i18n';
import { decode, guessEncoding } from './encoding';
import { loadText } from './loadText';
import type { Around } from './previewed';
import { longestSubtitles, subtitlesFor, toVtt } from './subtitles';

export interface Subtitles {
  label: string;
  url: string;
}

/** useSubtitles fetches what lies beside a film under its name. What cannot be had is left out. */
export function useSubtitles(film: string, around: Around | undefined): readonly Subtitles[] {
  const [tracks, setTracks] = useState<readonly Subtitles[]>([]);
  const found = around ? subtitlesFor(film, around.names) : [];
  const key = found.map(({ name }) => name).join('/');

  const load = useEffectEvent(async (signal: AbortSignal) => {
    const made = await Promise.all(
      found.map(async ({ name, label }) => {
        const source = around?.source(name);
        const bytes = source && (await loadText(source, longestSubtitles, signal).catch(() => undefined));
        if (!bytes) return [];
        const text = toVtt(decode(bytes, await guessEncoding(bytes, name, language())));
        return [{ label, url: URL.createObjectURL(new Blob([text], { type: 'text/vtt' })) }];
      }),
    );
    return made.flat();
  });

  useEffect(() => {
    if (!key) return;
    const leave = new AbortController();
    const made = load(leave.signal);
    void made.then((all) => {
      if (!leave.signal.aborted) setTracks(all);
    });
    return () => {
      leave.abort();
      setTracks([]);
      void made.then((all) => all.forEach(({ url }) => URL.revokeObjectURL(url)));
    };
  }, [key]);

  return tracks;
}
