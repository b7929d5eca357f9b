import { expect, it } from 'vitest';
import { cellText, columnName } from './cells';

it('names columns as sheets do', () => {
  expect([0, 25, 26, 51, 52, 701, 702].map(columnName)).toEqual(['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA']);
});

it('writes values, and dates without a time zone', () => {
  expect([cellText('a', 'en-US'), cellText(1.5, 'en-US'), cellText(true, 'en-US')]).toEqual([
    'a',
    '1.5',
    'true',
  ]);
  expect(cellText(null, 'en-US') + cellText(undefined, 'en-US')).toBe('');
  expect(cellText(new Date('2026-11-21T00:00:00Z'), 'en-US')).toBe('11/21/26');
  expect(cellText(new Date('2026-11-21T06:40:00Z'), 'en-US')).toMatch(/11\/21\/26.*6:40/);
});
