import { extensionOf } from './kind';

/** Longest subtitles that are read, in bytes. */
export const longestSubtitles = 4 << 20;

const stem = (name: string) => name.slice(0, name.length - extensionOf(name).length - 1);

/** SubtitleFile is a file of subtitles, and what of its name tells it from others, such as "zh". */
export interface SubtitleFile {
  name: string;
  label: string;
}

/** subtitlesFor finds a film's subtitles among the names of its folder: film.srt, film.zh.vtt. */
export function subtitlesFor(film: string, names: readonly string[]): SubtitleFile[] {
  const base = stem(film);
  return names.flatMap((name) => {
    const extension = extensionOf(name);
    if (extension !== 'srt' && extension !== 'vtt') return [];
    const own = stem(name);
    if (own !== base && !own.startsWith(`${base}.`)) return [];
    return [{ name, label: own.slice(base.length + 1) || extension.toUpperCase() }];
  });
}

/** toVtt gives subtitles the form that browsers read; SubRip differs in its head and its decimal sign. */
export function toVtt(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n');
  if (lines.startsWith('WEBVTT')) return lines;
  return `WEBVTT\n\n${lines.replace(/(\d\d:\d\d:\d\d),(\d{3})/g, '$1.$2')}`;
}
