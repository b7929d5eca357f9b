import { extensionOf } from './kind';

/** Longest lyrics that are read, in bytes. */
export const longestLyrics = 1 << 20;

/** LyricLine is what is sung from a moment on; `at` in seconds. */
export interface LyricLine {
  at: number;
  text: string;
}

const stem = (name: string) => name.slice(0, name.length - extensionOf(name).length - 1);

/** lyricsFor finds the lyrics of a sound among the names of its folder. */
export const lyricsFor = (sound: string, names: readonly string[]): string | undefined =>
  names.find((name) => extensionOf(name) === 'lrc' && stem(name) === stem(sound));

/** coverFor finds the picture of a sound among the names of its folder: its own, else that of the album. */
export function coverFor(sound: string, names: readonly string[]): string | undefined {
  const pictures = names.filter((name) => /^(jpe?g|png|webp)$/.test(extensionOf(name)));
  return (
    pictures.find((name) => stem(name) === stem(sound)) ??
    pictures.find((name) => /^(cover|folder|front|album)$/i.test(stem(name)))
  );
}

/** readLyrics reads LRC: lines with one or more times before them, and a shift of all of them in milliseconds. */
export function readLyrics(text: string): LyricLine[] {
  const shift = Number(/^\[offset:\s*([+-]?\d+)\s*\]/im.exec(text)?.[1] ?? 0) / 1000;
  const lines = text.split(/\r\n?|\n/).flatMap((line) => {
    const [, times, words] = /^((?:\[\d+:\d{1,2}(?:[.:]\d{1,3})?\])+)(.*)$/.exec(line.trim()) ?? [];
    if (times === undefined || words === undefined) return [];
    return [...times.matchAll(/\[(\d+):(\d{1,2})(?:[.:](\d{1,3}))?\]/g)].map(
      ([, minutes, seconds, part = '0']) => ({
        at: Math.max(0, Number(minutes) * 60 + Number(seconds) + Number(`0.${part}`) - shift),
        text: words.replace(/<\d+:\d{1,2}(?:[.:]\d{1,3})?>/g, '').trim(),
      }),
    );
  });
  return lines.sort((a, b) => a.at - b.at);
}

/** lineAt is the number of the line that is sung at a moment; -1 before the first. */
export function lineAt(lines: readonly LyricLine[], seconds: number): number {
  return lines.findLastIndex(({ at }) => at <= seconds);
}
