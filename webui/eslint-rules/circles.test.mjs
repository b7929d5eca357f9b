import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { afterEach, beforeEach, expect, it } from 'vitest';
import circles from './circles.mjs';

let dir = '';

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'circles-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

function problems(files, name) {
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(dir, file), text);
  const config = {
    files: ['**/*.ts'],
    languageOptions: { parser: tseslint.parser },
    plugins: { own: { rules: { circles } } },
    rules: { 'own/circles': 'error' },
  };
  const file = path.join(dir, name);
  return new Linter({ cwd: dir })
    .verify(readFileSync(file, 'utf8'), config, { filename: file })
    .map(({ message }) => message);
}

it.each([
  ['values', "import { a } from './a';"],
  ['types', "import type { A } from './a';"],
  ['what is fetched later', "export const a = () => import('./a');"],
  ['what is passed on', "export * from './a';"],
])('finds a circle of %s over several files', (_, last) => {
  const files = { 'a.ts': "import './b';", 'b.ts': "import './c';", 'c.ts': last };
  expect(problems(files, 'a.ts')).toEqual(['circle of imports: a.ts -> b.ts -> c.ts -> a.ts']);
});

it('lets two files import a third', () => {
  const files = { 'a.ts': "import './b';\nimport './c';", 'b.ts': "import './c';", 'c.ts': '' };
  expect(problems(files, 'a.ts')).toEqual([]);
});

it('blames only the import that leads back', () => {
  const files = { 'a.ts': "import './b';\nimport './c';", 'b.ts': '', 'c.ts': "import './a';" };
  expect(problems(files, 'a.ts')).toEqual(['circle of imports: a.ts -> c.ts -> a.ts']);
});
