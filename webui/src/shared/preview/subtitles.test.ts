import { expect, it } from 'vitest';
import { subtitlesFor, toVtt } from './subtitles';

it('finds the subtitles of a film by its name', () => {
  const names = ['harbour.mp4', 'harbour.srt', 'harbour.zh.vtt', 'harbour2.srt', 'harbour.ass', 'other.vtt'];
  expect(subtitlesFor('harbour.mp4', names)).toEqual([
    { name: 'harbour.srt', label: 'SRT' },
    { name: 'harbour.zh.vtt', label: 'zh' },
    { name: 'harbour.ass', label: 'ASS' },
  ]);
  expect(subtitlesFor('other.mp4', [])).toEqual([]);
});

it('turns SubRip into WebVTT and leaves WebVTT alone', () => {
  expect(toVtt('1\r\n00:00:01,500 --> 00:00:02,000\r\nAhoy, 1,000 times\r\n')).toBe(
    'WEBVTT\n\n1\n00:00:01.500 --> 00:00:02.000\nAhoy, 1,000 times\n',
  );
  expect(toVtt('WEBVTT\n\n00:01.000 --> 00:02.000\na')).toBe('WEBVTT\n\n00:01.000 --> 00:02.000\na');
});

it('takes times and words from SubStation', () => {
  const script = `[Script Info]
Title: x
[Events]
Format: Layer, Start, End, Style, Text
Dialogue: 0,0:00:03.00,0:00:04.50,Default,Later
Comment: 0,0:00:00.00,0:00:09.00,Default,not shown
Dialogue: 0,0:00:01.05,0:00:02.00,Default,{\\i1}Ahoy{\\i0}, 港口\\N<b> & more
Dialogue: 0,never,0:00:02.00,Default,broken
`;
  expect(toVtt(script)).toBe(
    'WEBVTT\n\n00:00:01.050 --> 00:00:02.000\nAhoy, 港口\n&lt;b&gt; &amp; more\n\n' +
      '00:00:03.000 --> 00:00:04.500\nLater\n',
  );
});
