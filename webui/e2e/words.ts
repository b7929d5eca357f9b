import type { Messages } from '../src/i18n/shape';
import * as en from '../src/i18n/en';
import * as zh from '../src/i18n/zh';

export type Language = 'en-US' | 'zh-CN';

/** Words answers the text of a key, as the page shows it, with its values filled in. */
export type Words = (key: string, values?: Record<string, string | number>) => string;

/** wordsOf loads a whole catalogue, so that a flow can be run in either language. */
export async function wordsOf(language: Language): Promise<Words> {
  const catalogue = language === 'zh-CN' ? zh : en;
  const areas = await Promise.all(
    Object.entries(catalogue.areas).map(async ([name, load]) => [name, (await load()).default] as const),
  );
  const all = { ...catalogue.core, ...Object.fromEntries(areas) } as Messages;
  return (key, values = {}) => {
    const found = key
      .split('.')
      .reduce<Messages | string | undefined>(
        (at, part) => (typeof at === 'object' ? at[part] : undefined),
        all,
      );
    if (typeof found !== 'string') throw new Error(`there is no text ${key}`);
    const [one = '', many = one] = found.split(' |||| ');
    const form = values.smart_count === 1 ? one : many;
    return form.replace(/%\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
  };
}
