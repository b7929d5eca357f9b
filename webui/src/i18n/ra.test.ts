import { expect, it } from 'vitest';
import english from './en/ra';
import type { Messages } from './shape';
import chinese from './zh/ra';

const flat = (messages: Messages, prefix = ''): [string, string][] =>
  Object.entries(messages).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[prefix + name, value]] : flat(value, `${prefix}${name}.`),
  );

it('has all texts of react-admin in Chinese', () => {
  const keys = (messages: Messages) =>
    flat(messages)
      .map(([key]) => key)
      .sort();
  expect(keys(english).length).toBeGreaterThan(150);
  expect(keys(chinese)).toEqual(keys(english));
});

it('has no plural forms in Chinese, where the first one would always be taken', () => {
  expect(flat(chinese).filter(([, text]) => text.includes('||||'))).toEqual([]);
});

it('uses in Chinese no value that the English text does not have', () => {
  const values = (text: string) => new Set(text.match(/%\{\w+\}/g) ?? []);
  const translated = new Map(flat(chinese));
  for (const [key, text] of flat(english)) {
    const unknown = [...values(translated.get(key) ?? '')].filter((value) => !values(text).has(value));
    expect.soft(unknown, key).toEqual([]);
  }
});
