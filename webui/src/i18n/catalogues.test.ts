import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as en from './en';
import type { Messages } from './shape';
import * as zh from './zh';

const src = join(import.meta.dirname, '..');

function flatten(messages: Messages, prefix = ''): [string, string][] {
  return Object.entries(messages).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[prefix + name, value]] : flatten(value, `${prefix}${name}.`),
  );
}

async function whole(catalogue: typeof en | typeof zh): Promise<Map<string, string>> {
  const areas = await Promise.all(
    Object.entries(catalogue.areas).map(async ([name, load]) => [name, (await load()).default] as const),
  );
  return new Map(flatten({ ...catalogue.core, ...Object.fromEntries(areas) } as Messages));
}

function sources(): { path: string; text: string }[] {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$|^pages\.json$/.test(path) && !/\.(test|fixtures)\.|^testing/.test(path))
    .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }));
}

describe('catalogues', () => {
  it('have the same keys in both languages', async () => {
    const [english, chinese] = [await whole(en), await whole(zh)];
    expect([...chinese.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it('use the same values in both languages', async () => {
    const values = (text: string) => [...new Set(text.match(/%\{\w+\}/g) ?? [])].sort();
    const [english, chinese] = [await whole(en), await whole(zh)];
    for (const [key, text] of english) {
      expect.soft(values(chinese.get(key) ?? ''), key).toEqual(values(text));
    }
  });

  it('have no plural forms in Chinese, where the first one would always be taken', async () => {
    const plural = [...(await whole(zh))].filter(([, text]) => text.includes('||||'));
    expect(plural).toEqual([]);
  });

  it('have no empty text', async () => {
    const all = [...(await whole(en)), ...(await whole(zh))];
    expect(all.filter(([, text]) => text.trim() === '')).toEqual([]);
  });
});

/** wordsOfLists are the messages that lists ask for by the name of their resource. */
function wordsOfLists(code: string): Set<string> {
  const names = {
    words: ['search', 'create', 'listIntro', 'emptyTitle', 'emptyBody'],
    removal: ['deleteOne', 'deleteMany', 'deleteBody', 'deleted'],
  };
  return new Set(
    [...code.matchAll(/\bwords="([\w.]+)"|useRemoval\('([\w.]+)'/g)].flatMap(([, list, removed]) =>
      (list ? names.words : names.removal).map((name) => `${list ?? removed}.${name}`),
    ),
  );
}

describe('source files', () => {
  it('ask only for keys that exist', async () => {
    const keys = new Set((await whole(en)).keys());
    const asked = sources().flatMap(({ path, text }) =>
      [...text.matchAll(/(?:\bt\(\s*'|"(?:title|link)": ")([\w.]+)/g)].map(([, key]) => `${path}: ${key}`),
    );
    expect(asked.length).toBeGreaterThan(100);
    expect(asked.filter((entry) => !keys.has(entry.split(': ')[1] ?? ''))).toEqual([]);
  });

  it('use every key, by its whole name or by a prefix that is completed at run time', async () => {
    const code = sources().filter(({ path }) => !/^i18n\/(en|zh)\//.test(path));
    const literals = new Set<string>();
    const prefixes = new Set<string>();
    for (const { text } of code) {
      for (const [, key] of text.matchAll(/['"`]([a-zA-Z]\w*(?:\.\w+)+)['"`]/g)) literals.add(key ?? '');
      for (const [, key] of text.matchAll(/`([a-zA-Z][\w.]*\.)[\w]*\$\{/g)) prefixes.add(key ?? '');
    }
    const listed = wordsOfLists(code.map(({ text }) => text).join('\n'));
    const unused = [...(await whole(en)).keys()].filter(
      (key) =>
        !literals.has(key) && !listed.has(key) && ![...prefixes].some((prefix) => key.startsWith(prefix)),
    );
    expect(unused).toEqual([]);
  });

  it('say of every list what is searched, that it is empty, and what deleting asks and has done', async () => {
    const keys = new Set((await whole(en)).keys());
    const code = sources();
    const of = (pattern: RegExp, ...names: string[]) =>
      code.flatMap(({ text }) =>
        [...text.matchAll(pattern)].flatMap(([, words]) => names.map((name) => `${words}.${name}`)),
      );
    const needed = [
      ...of(/\bwords="([\w.]+)"/g, 'search', 'emptyTitle'),
      ...of(/\n +form\n +words="([\w.]+)"/g, 'create'),
      ...of(/useRemoval\('([\w.]+)'/g, 'deleteMany', 'deleted'),
    ];
    expect(needed.length).toBeGreaterThan(40);
    expect(needed.filter((key) => !keys.has(key))).toEqual([]);
  });

  it('put no sentences together with a colon, which is another one in Chinese', () => {
    const glued = sources()
      .filter(({ path }) => path.endsWith('.tsx'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\$\{[^}]*\}: \$\{|\)\}: ?[<{]|\}:\{' '\}/g)].map(
          ({ index }) => `${path}: ${text.slice(index - 40, index + 20)}`,
        ),
      );
    expect(glued).toEqual([]);
  });

  it('hold no Chinese outside the catalogues, but for texts that the contract fixes', () => {
    // Language names in their own language, substrings of server messages that the contract fixes, and the
    // Chinese marks that the Markdown parser has to know.
    const allowed = new Set([
      'shell/languageNames.ts',
      'api/client.ts',
      'shared/uploader/uploadErrorText.ts',
      'shared/markdown/cjk.ts',
    ]);
    const found = sources()
      .filter(({ path }) => !path.startsWith('i18n/zh/') && !allowed.has(path))
      .filter(({ text }) => /[\u3400-\u9fff]/.test(text))
      .map(({ path }) => path);
    expect(found).toEqual([]);
  });
});
