import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isColour, shadesOf } from './shades';

const cases = JSON.parse(readFileSync('../domain/settings/internal/brand/testdata/shades.json', 'utf8')) as {
  colour: string;
  light: string;
  dark: string;
}[];

it.each(cases)('$colour is $light and $dark, as the server has it', ({ colour, light, dark }) => {
  expect(shadesOf(colour)).toEqual({ light, dark });
});

it.each([
  ['#0A6A6A', true],
  ['#0a6a6a', true],
  ['#fff', false],
  ['0A6A6A', false],
  ['red', false],
])('%s is a colour: %s', (text, want) => {
  expect(isColour(text)).toBe(want);
});
