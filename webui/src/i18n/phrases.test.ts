import Polyglot from 'node-polyglot';
import { expect, it, vi } from 'vitest';
import * as en from './en';
import { makePhrases, type Values } from './phrases';
import type { Messages } from './shape';
import * as zh from './zh';

it.each([
  ['en', en],
  ['zh', zh],
] as const)(
  'says every message in %s as node-polyglot does, but counts as people write them',
  async (locale, { core, areas }) => {
    const phrases = makePhrases(locale);
    const polyglot = new Polyglot({ locale });
    const add = (messages: Messages, prefix = '') => {
      phrases.add(messages, prefix);
      polyglot.extend(messages, prefix.slice(0, -1));
    };
    add(core);
    for (const [area, load] of Object.entries(areas)) add((await load()).default as Messages, `${area}.`);

    const all = Object.entries((polyglot as unknown as { phrases: Record<string, string> }).phrases);
    expect(all.length).toBeGreaterThan(2000);
    for (const [key, phrase] of all) {
      expect.soft(phrases.has(key), key).toBe(true);
      const names = [...phrase.matchAll(/%\{(\w+)\}/g)].map(([, name = '']) => name);
      const values: Values = Object.fromEntries(names.map((name) => [name, `<${name}>`]));
      const given = [
        undefined,
        values,
        ...[0, 1, 1.5, 2, 11, 21, 101, 1_000_000].flatMap((count) => [
          count,
          { ...values, smart_count: count },
        ]),
      ];
      for (const one of given)
        expect
          .soft(phrases.t(key, one), `${key} ${JSON.stringify(one)}`)
          .toBe(polyglot.t(key, one as Polyglot.InterpolationOptions).replaceAll('1000000', '1,000,000'));
    }
  },
);

it('leaves a place as it is that nothing is said for', () => {
  const phrases = makePhrases('en');
  phrases.add({ both: '%{one} and %{two}' });
  expect(phrases.t('both', { one: '1', two: undefined })).toBe('1 and %{two}');
});

it('fills in a value with its signs as they are', () => {
  const phrases = makePhrases('en');
  phrases.add({ name: 'Name: %{name}' });
  expect(phrases.t('name', { name: "$& %{name} $'" })).toBe("Name: $& %{name} $'");
});

it('says the key of a message that is missing, and reports it', () => {
  const told = vi.spyOn(console, 'error').mockReturnValue();
  expect(makePhrases('en').t('no.such', 2)).toBe('no.such');
  expect(told).toHaveBeenCalledWith('missing message: no.such');
});
