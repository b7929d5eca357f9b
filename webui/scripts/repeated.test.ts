import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import Repeated from './repeated.mjs';

/** report gives what the reporter writes after tries that ended so: by title, with the messages of those that failed. */
function report(...ended: [title: string, ...messages: string[]][]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'repeated-'));
  const reporter = new Repeated();
  reporter.onBegin({
    rootDir: path.join(folder, 'e2e'),
    configFile: path.join(folder, 'playwright.config.ts'),
  });
  for (const [title, ...messages] of ended)
    reporter.onTestEnd(
      { title, location: { file: path.join(folder, 'e2e', 'home.spec.ts') } },
      { status: messages.length ? 'failed' : 'passed', errors: messages.map((message) => ({ message })) },
    );
  reporter.onEnd();
  return readFileSync(path.join(folder, 'test-results', 'repeated-flows.txt'), 'utf8');
}

test('a run without a failed try says so', () => {
  expect(report(['one'], ['two'])).toBe('repeated flows: none\n');
});

test('each flow with a failed try is named once, with the reason of each try', () => {
  const colored = '\u001b[31mError: too\u001b[39m\n\n  late';
  expect(report(['two', colored], ['two'], ['one', 'first'], ['one', 'second', 'third'], ['three'])).toBe(
    [
      'repeated flows: 2',
      '  home.spec.ts › one',
      '    first',
      '    second',
      '    third',
      '  home.spec.ts › two',
      '    Error: too',
      '      late',
      '',
    ].join('\n'),
  );
});

test('unit tests are never repeated', ({ task }) => {
  expect(task.retry ?? 0).toBe(0);
});
