import { extensionOf } from './kind';

/** Longest subtitles that are read, in bytes. */
export const longestSubtitles = 4 << 20;

/** Forms of subtitles that are understood. */
const formats = ['srt', 'vtt', 'ass', 'ssa'];

const stem = (name: string) => name.slice(0, name.length - extensionOf(name).length - 1);

/** SubtitleFile is a file of subtitles, and what of its name tells it from others, such as "zh". */
interface SubtitleFile {
  name: string;
  label: string;
}

/** subtitlesFor finds a film's subtitles among the names of its folder: film.srt, film.zh.vtt. */
export function subtitlesFor(film: string, names: readonly string[]): SubtitleFile[] {
  const base = stem(film);
  return names.flatMap((name) => {
    const extension = extensionOf(name);
    if (!formats.includes(extension)) return [];
    const own = stem(name);
    if (own !== base && !own.startsWith(`${base}.`)) return [];
    return [{ name, label: own.slice(base.length + 1) || extension.toUpperCase() }];
  });
}

/** toVtt gives subtitles the form that browsers read; SubRip differs in its head and its decimal sign only. */
export function toVtt(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n');
  if (lines.startsWith('WEBVTT')) return lines;
  if (/^\uFEFF?\[Script Info\]/i.test(lines)) return fromSubStation(lines);
  return `WEBVTT\n\n${lines.replace(/(\d\d:\d\d:\d\d),(\d{3})/g, '$1.$2')}`;
}

/** fromSubStation takes times and words from SubStation's events (.ass, .ssa); its fonts and places are left out. */
function fromSubStation(text: string): string {
  let columns: string[] = [];
  const cues: { start: string; text: string }[] = [];
  for (const line of text.slice(text.search(/^\[Events\]/im)).split('\n')) {
    const [, kind, rest] = /^(Format|Dialogue):\s*(.*)$/.exec(line) ?? [];
    if (kind === 'Format') columns = (rest ?? '').split(',').map((name) => name.trim().toLowerCase());
    if (kind !== 'Dialogue' || rest === undefined) continue;
    const parts = rest.split(',');
    const value = (name: string) => parts[columns.indexOf(name)] ?? '';
    // The words come last and may hold commas.
    const words = plainWords(parts.slice(columns.indexOf('text')).join(','));
    const [start, end] = [vttTime(value('start')), vttTime(value('end'))];
    if (start && end && words) cues.push({ start, text: `${start} --> ${end}\n${words}` });
  }
  cues.sort((a, b) => a.start.localeCompare(b.start));
  return ['WEBVTT', ...cues.map((cue) => cue.text)].join('\n\n') + '\n';
}

const plainWords = (text: string) =>
  text
    .replace(/\{[^}]*\}/g, '')
    .replace(/\\[Nn]/g, '\n')
    .replace(/\\h/g, ' ')
    .replace(/[&<>]/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[mark] ?? '')
    .replace(/\n{2,}/g, '\n')
    .trim();

/** vttTime turns 0:01:02.50 into 00:01:02.500; undefined for what is no time. */
function vttTime(time: string): string | undefined {
  const [, hours, rest, hundredths] = /^\s*(\d+):(\d\d:\d\d)[.:](\d\d)\s*$/.exec(time) ?? [];
  return hours && rest && hundredths && `${hours.padStart(2, '0')}:${rest}.${hundredths}0`;
}
