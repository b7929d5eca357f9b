import { language } from '../../i18n';
import { decode, guessEncoding } from './encoding';
import { loadText } from './loadText';
import type { Around } from './previewed';
import { longestSubtitles, subtitlesFor, toVtt } from './subtitles';
import { useWork } from './useWork';

interface Subtitles {
  label: string;
  url: string;
}

const none: readonly Subtitles[] = [];

const revoke = (tracks: readonly Subtitles[]) => tracks.forEach(({ url }) => URL.revokeObjectURL(url));

/** useSubtitles fetches what lies beside a film under its name. What cannot be had is left out. */
export function useSubtitles(film: string, around: Around | undefined): readonly Subtitles[] {
  const found = around ? subtitlesFor(film, around.names) : [];
  const { value } = useWork(
    ['subtitles', ...found.map(({ name }) => around?.source(name).url ?? '')],
    async (signal): Promise<readonly Subtitles[]> => {
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
    },
    { enabled: found.length > 0, drop: revoke },
  );
  return value ?? none;
}
