/** docs/openapi.json as others see it: a linter and a generator of types. */
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

test('types are made of it, and they compile', async () => {
  const made = join(folder, 'generated.ts');
  writeFileSync(made, astToString(await openapiTS(description)));
  const program = ts.createProgram([made], { strict: true, noEmit: true, skipLibCheck: true, types: [] });
  const complaints = ts.getPreEmitDiagnostics(program);
  expect(complaints.map((d) => ts.flattenDiagnosticMessageText(d.messageText, '\n'))).toEqual([]);
});
