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

// What the panel asks for by the name of a resource or of a question.
const listOf = /<PanelList[^]*?\n +words="([\w.]+)"/;
const deletes = /\n {6}removes\b/;
const asked = /\b(?:ask|questionOf)\(\s*(?:t, )?'([\w.]+)'/g;

/** wordsOf are the messages that a file asks for by parts of their names: all that may be, or those that must. */
function wordsOf(text: string, may = true): string[] {
  const list = listOf.exec(text)?.[1];
  const names = [
    ...(list ? ['search', 'emptyTitle', ...(may ? ['create', 'listIntro', 'emptyBody'] : [])] : []),
    ...(list && /\n {6}form\b/.test(text) ? ['create'] : []),
    ...(list && deletes.test(text)
      ? ['deleteMany', 'deleted', ...(may ? ['deleteOne', 'deleteBody'] : [])]
      : []),
  ].map((name) => `${list}.${name}`);
  const questions = [...text.matchAll(asked)].flatMap(([, words]) => [
    `${words}Title`,
    ...(may ? [`${words}Body`, `${words}`] : []),
  ]);
  return [...names, ...questions];
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
    const listed = new Set(code.flatMap(({ text }) => wordsOf(text)));
    const unused = [...(await whole(en)).keys()].filter(
      (key) =>
        !literals.has(key) && !listed.has(key) && ![...prefixes].some((prefix) => key.startsWith(prefix)),
    );
    expect(unused).toEqual([]);
  });

  it('say of every list what is searched, that it is empty, what deleting asks and has done, and what is asked', async () => {
    const keys = new Set((await whole(en)).keys());
    const needed = sources().flatMap(({ text }) => wordsOf(text, false));
    expect(needed.length).toBeGreaterThan(55);
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
