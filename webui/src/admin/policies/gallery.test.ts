import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { filledIn, isWrong, readyRules, rulesOf, saidWith, type Blank, type ReadyRule } from './gallery';

const folder = join(import.meta.dirname, '../../../../policies/gallery');

it('offers every rule of the folder, and leaves its text as it is while nothing else is filled in', () => {
  const files = readdirSync(folder).filter((name) => !name.endsWith('_test.rego'));
  expect(Object.keys(readyRules).map((rule) => `${rule}.rego`)).toEqual(expect.arrayContaining(files));
  for (const rule of Object.keys(readyRules) as ReadyRule[]) {
    const filled = filledIn(rule, {});
    for (const blank of readyRules[rule] as Blank[])
      expect(isWrong(blank, filled[blank.label]), rule).toBe(false);
    const made = rulesOf(rule, filled);
    expect(made[`${rule}.rego`]).toMatch(/^package pasteport\.site\n/);
    expect(made[`${rule}_test.rego`]).toMatch(/^package pasteport\.site_test\n/);
    expect(filledIn(rule, made)).toEqual(filled);
  }
});

it('writes what is filled in as values of Rego, and reads it back', () => {
  const made = rulesOf('guest_types', { types: 'zip  docx,zip', mib: '5' });
  expect(made['guest_types.rego']).toContain('_guest_types := {"docx", "zip"}\n');
  expect(made['guest_types.rego']).toContain('_guest_types_mib := 5\n');
  expect(filledIn('guest_types', made)).toEqual({ types: 'docx, zip', mib: '5' });
  const hours = rulesOf('delete_hours', { from: '07:30', to: '19:05', zone: 'Asia/Shanghai' });
  expect(hours['delete_hours.rego']).toMatch(/_from := 450\n[^]*_to := 1145\n/);
  expect(filledIn('delete_hours', hours)).toEqual({ from: '07:30', to: '19:05', zone: 'Asia/Shanghai' });
});

it('asks for hours in the time zone of who fills them in', () => {
  const options = new Intl.DateTimeFormat().resolvedOptions();
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({
    ...options,
    timeZone: 'Asia/Shanghai',
  });
  expect(filledIn('delete_hours', {}).zone).toBe('Asia/Shanghai');
});

it('lists words in a sentence as its language does', () => {
  const filled = { types: 'pdf, png', mib: '20' };
  expect(saidWith(filled, 'en-US')).toEqual(filled);
  expect(saidWith(filled, 'zh-CN')).toEqual({ types: 'pdf、png', mib: '20' });
});

it.each([
  ['types', 'words', 'pdf, png', 'p"df'],
  ['types', 'words', 'md', ''],
  ['folders', 'words', '/team /a/b', '/team/'],
  ['folders', 'words', '/', 'team'],
  ['hosts', 'words', 'cdn.example.com', 'https://example.com'],
  ['networks', 'words', '10.0.0.0/8, 2001:db8::/32', '10.0.0/8'],
  ['networks', 'words', '192.0.2.1/32', '300.0.0.0/8'],
  ['days', 'number', '30', '0'],
  ['days', 'number', '1', '1.5'],
  ['from', 'time', '08:00', '25:00'],
  ['zone', 'zone', 'Europe/Berlin', 'Europe/Nowhere'],
] as const)('takes for %s (%s) %j and refuses %j', (label, kind, good, bad) => {
  const blank: Blank = { constant: '_x', label, kind };
  expect(isWrong(blank, good)).toBe(false);
  expect(isWrong(blank, bad)).toBe(true);
});
