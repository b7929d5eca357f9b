import { expect, it } from 'vitest';
import { coverFor, lineAt, lyricsFor, readLyrics } from './lyrics';

const folder = ['01 港口.mp3', '01 港口.lrc', '02 Pier.mp3', '02 Pier.jpg', 'Cover.png', 'notes.lrc'];

it('finds lyrics and cover by the name of the sound', () => {
  expect(lyricsFor('01 港口.mp3', folder)).toBe('01 港口.lrc');
  expect(lyricsFor('02 Pier.mp3', folder)).toBeUndefined();
  expect(coverFor('02 Pier.mp3', folder)).toBe('02 Pier.jpg');
  expect(coverFor('01 港口.mp3', folder)).toBe('Cover.png');
  expect(coverFor('a.mp3', [])).toBeUndefined();
});

it('reads times, repeated lines, words with times of their own, and the shift', () => {
  const text =
    '[ti:Harbour]\n[offset:+500]\n[00:03.50][01:00]Ahoy\r\n[00:01:25]<00:01.25>first <00:02>words\nno time';
  expect(readLyrics(text)).toEqual([
    { at: 0.75, text: 'first words' },
    { at: 3, text: 'Ahoy' },
    { at: 59.5, text: 'Ahoy' },
  ]);
  expect(readLyrics('')).toEqual([]);
});

it('knows the line of a moment', () => {
  const lines = readLyrics('[00:01]a\n[00:02]b');
  expect([0.9, 1, 1.9, 2, 99].map((at) => lineAt(lines, at))).toEqual([-1, 0, 0, 1, 1]);
});
