import { describe, expect, it } from 'vitest';
import { formatOver, formatRelative, formatSize, parseTime, remainingViews } from './format';

describe('formatSize', () => {
  it.each([
    [0, '0 B'],
    [1, '1 B'],
    [1023, '1,023 B'],
    [1024, '1 KB'],
    [1536, '1.5 KB'],
    [1024 * 1024 - 1, '1 MB'],
    [10 * 1024 * 1024, '10 MB'],
    [150.4 * 1024 * 1024, '150 MB'],
    [5 * 1024 ** 4, '5 TB'],
    [5000 * 1024 ** 4, '5,000 TB'],
    [-5, '0 B'],
  ])('%i is %s', (bytes, want) => {
    expect(formatSize(bytes, 'en-US')).toBe(want);
  });
});

describe('formatOver', () => {
  const mb = 1024 * 1024;
  it.each([
    [12 * mb, 10 * mb, '12 MB', '10 MB'],
    [5 * 1024 * mb, 10 * mb, '5 GB', '10 MB'],
    [10.02 * mb, 10 * mb, '10.02 MB', '10 MB'],
    [1.004 * mb, mb, '1.004 MB', '1 MB'],
    [mb + 1, mb, '1,048,577 B', '1,048,576 B'],
    [10 * mb - 9, 10 * mb, '10,485,751 B', '10,485,760 B'],
    [9.6 * mb, 10 * mb, '9.6 MB', '10 MB'],
    [150.4 * mb, 150 * mb, '150.4 MB', '150 MB'],
    [1, 0, '1 B', '0 B'],
  ])('tells %i from %i', (size, limit, over, most) => {
    expect(formatOver(size, limit, 'en-US')).toEqual({ size: over, limit: most });
  });
});

describe('parseTime', () => {
  it('reads both forms of the API as UTC', () => {
    expect(parseTime('2026-11-21T00:05:26.814Z').toISOString()).toBe('2026-11-21T00:05:26.814Z');
    expect(parseTime('2026-11-21 00:05:26').toISOString()).toBe('2026-11-21T00:05:26.000Z');
  });
});

describe('formatRelative', () => {
  const now = new Date('2026-01-10T12:00:00Z');
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  it.each([
    [30, 'in 30 seconds'],
    [59.9, 'in 1 minute'],
    [80, 'in 1 minute'],
    [100, 'in 2 minutes'],
    [3600, 'in 1 hour'],
    [-7200, '2 hours ago'],
    [3 * 86_400 + 5, 'in 3 days'],
    [86_399, 'in 1 day'],
    [-86_399, '1 day ago'],
    [-40 * 86_400, '1 month ago'],
    [800 * 86_400, 'in 2 years'],
  ])('%i seconds away is %s', (seconds, want) => {
    expect(formatRelative(at(seconds), now, 'en-US')).toBe(want);
  });

  it('speaks Chinese', () => {
    expect(formatRelative(at(3 * 86_400 + 5), now, 'zh-CN')).toBe('3 天后');
  });
});

describe('remainingViews', () => {
  it.each([
    [null, 7, undefined],
    [0, 7, undefined],
    [5, 2, 3],
    [5, 5, 0],
    [5, 9, 0],
  ])('limit %s after %i views leaves %s', (limit, views, want) => {
    expect(remainingViews(limit, views)).toBe(want);
  });
});
