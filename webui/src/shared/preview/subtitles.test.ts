import { expect, it } from 'vitest';
import { subtitlesFor, toVtt } from './subtitles';

it('finds the subtitles of a film by its name', () => {
  const names = ['harbour.mp4', 'harbour.srt', 'harbour.zh.vtt', 'harbour2.srt', 'harbour.ass', 'other.vtt'];
  expect(subtitlesFor('harbour.mp4', names)).toEqual([
    { name: 'harbour.srt', label: 'SRT' },
    { name: 'harbour.zh.vtt', label: 'zh' },
  ]);
  expect(subtitlesFor('other.mp4', [])).toEqual([]);
});

it('turns SubRip into WebVTT and leaves WebVTT alone', () => {
  expect(toVtt('1\r\n00:00:01,500 --> 00:00:02,000\r\nAhoy, 1,000 times\r\n')).toBe(
    'WEBVTT\n\n1\n00:00:01.500 --> 00:00:02.000\nAhoy, 1,000 times\n',
  );
  expect(toVtt('WEBVTT\n\n00:01.000 --> 00:02.000\na')).toBe('WEBVTT\n\n00:01.000 --> 00:02.000\na');
});
