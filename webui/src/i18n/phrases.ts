import type { Messages } from './shape';

/** What a message is filled with. `smart_count` also chooses its plural form. */
export type Values = Readonly<Record<string, string | number | undefined>> & { smart_count?: number };

/** The messages of one language, by their whole keys. */
export interface Phrases {
  has: (key: string) => boolean;
  /** add takes messages over; `prefix` begins their keys. */
  add: (messages: Messages, prefix?: string) => void;
  /** t is a message with its values filled in; a number stands for `smart_count`. A missing one is its key. */
  t: (key: string, given?: number | Values) => string;
}

/**
 * makePhrases reads messages as node-polyglot does, which react-admin brings for the panel: `%{name}` is a value, and
 * `one |||| other` are the plural forms, of which a language without plurals has the last alone. A count is written as people do.
 */
export function makePhrases(locale: string): Phrases {
  const phrases = new Map<string, string>();
  const rules = new Intl.PluralRules(locale);

  function add(messages: Messages, prefix = '') {
    for (const [name, value] of Object.entries(messages)) {
      if (typeof value === 'string') phrases.set(prefix + name, value);
      else add(value, `${prefix}${name}.`);
    }
  }

  function t(key: string, given: number | Values = {}) {
    const phrase = phrases.get(key);
    if (phrase === undefined) {
      console.error(`missing message: ${key}`);
      return key;
    }
    const values: Values = typeof given === 'number' ? { smart_count: given } : given;
    const count = values.smart_count;
    const forms = phrase.split('||||');
    const form = count === undefined ? phrase : forms.at(rules.select(count) === 'one' ? 0 : -1)?.trim();
    return (form ?? '').replace(/%\{(.*?)\}/g, (token, name: string) =>
      String((name === 'smart_count' ? count?.toLocaleString(locale) : values[name]) ?? token),
    );
  }

  return { add, has: (key) => phrases.has(key), t };
}
