import { language } from '../../i18n';
import { decode, guessEncoding } from './encoding';
import { loadText } from './loadText';
import { coverFor, longestLyrics, lyricsFor, readLyrics, type LyricLine } from './lyrics';
import type { Around } from './previewed';
import { useWork } from './useWork';

/** Beside is what lies in a sound's folder and belongs to it. */
interface Beside {
  lyrics: readonly LyricLine[];
  /** Address of the cover; "" without one. */
  cover: string;
}

const nothing: Beside = { lyrics: [], cover: '' };

/** useBeside fetches lyrics and cover of a sound. What cannot be had is left out. */
export function useBeside(sound: string, around: Around | undefined): Beside {
  const lyricsName = around && lyricsFor(sound, around.names);
  const coverName = around && coverFor(sound, around.names);
  const addressOf = (name: string | undefined) => (name && around?.source(name).url) ?? '';

  const { value } = useWork(
    ['beside', addressOf(lyricsName), addressOf(coverName)],
    async (signal) => {
      const text = async (name: string) => {
        const bytes = await loadText(around?.source(name) ?? { url: '' }, longestLyrics, signal);
        return readLyrics(decode(bytes, await guessEncoding(bytes, name, language())));
      };
      const [lyrics, cover] = await Promise.all([
        lyricsName ? text(lyricsName).catch(() => []) : [],
        coverName
          ? around
              ?.open(coverName, signal)
              .then(({ viewUrl }) => viewUrl)
              .catch(() => '')
          : '',
      ]);
      return { lyrics, cover: cover ?? '' };
    },
    { enabled: Boolean(lyricsName ?? coverName) },
  );
  return value ?? nothing;
}
