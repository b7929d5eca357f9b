/** docs/openapi.json as others see it: a linter, a generator of types, and the types that this app has of the answers. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, expect, test } from 'vitest';

const webui = dirname(dirname(fileURLToPath(import.meta.url)));
const description = readFileSync(resolve(webui, '../docs/openapi.json'), 'utf8');
const folder = mkdtempSync(join(webui, 'node_modules', '.openapi-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The data of an answer and what the app calls it; it may know no field that the server does not tell. */
const pairs: [operation: string, type: string, file: string][] = [
  ['paste.create', 'CreatedPaste', 'types'],
  ['paste.get', 'PasteDetail', 'types'],
  ['file.get', 'FileDetail', 'types'],
  ['fs.list', 'Listing', 'fs'],
  ['task.get', 'TaskDetails', 'fs'],
  ['request.form', 'RequestForm', 'requests'],
];

function contract(): string {
  const checks = pairs.map(
    ([operation, type, file], i) =>
      `import type { ${type} as Ours${i} } from '../../src/api/${file}';\n` +
      `export const known${i}: Exclude<Keys<Ours${i}>, Keys<Answer<'${operation}'>>> extends never ? true : [Exclude<Keys<Ours${i}>, Keys<Answer<'${operation}'>>>] = true;`,
  );
  return `import type { operations } from './generated';
type Keys<T> = T extends T ? keyof T : never;
type Body<O extends keyof operations> = operations[O] extends { responses: { 200: { content: { 'application/json': infer B } } } } ? B : never;
type Answer<O extends keyof operations> = Body<O> extends { data?: infer D } ? NonNullable<D> : Body<O>;
${checks.join('\n')}
`;
}

test('a linter finds nothing to complain of', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      'operation-description': 'error',
      'tag-description': 'error',
      'no-invalid-media-type-examples': 'error',
    },
  });
  const found = await lintFromString({ source: description, absoluteRef: 'openapi.json', config });
  expect(found.map((p) => `${p.ruleId}: ${p.message} ${p.location[0]?.pointer ?? ''}`)).toEqual([]);
});

test('types are made of it, they compile, and the app knows no field that no answer has', async () => {
  writeFileSync(join(folder, 'generated.ts'), astToString(await openapiTS(description)));
  writeFileSync(join(folder, 'contract.ts'), contract());
  const program = ts.createProgram([join(folder, 'contract.ts')], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['vite/client'],
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    jsx: ts.JsxEmit.ReactJSX,
    allowImportingTsExtensions: true,
  });
  const complaints = ts
    .getPreEmitDiagnostics(program)
    .filter((d) => d.file?.fileName.startsWith(folder))
    .map((d) => ts.flattenDiagnosticMessageText(d.messageText, '\n'));
  expect(complaints).toEqual([]);
});
