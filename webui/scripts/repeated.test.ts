import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import Repeated from './repeated.mjs';

/** report gives what the reporter writes after tests that ended so, by title and try. */
function report(...ended: [title: string, retry: number][]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'repeated-'));
  const reporter = new Repeated();
  reporter.onBegin({
    rootDir: path.join(folder, 'e2e'),
    configFile: path.join(folder, 'playwright.config.ts'),
  });
  for (const [title, retry] of ended)
    reporter.onTestEnd({ title, location: { file: path.join(folder, 'e2e', 'home.spec.ts') } }, { retry });
  reporter.onEnd();
  return readFileSync(path.join(folder, 'test-results', 'repeated-flows.txt'), 'utf8');
}

test('a run without a second try says so', () => {
  expect(report(['one', 0], ['two', 0])).toBe('repeated flows: none\n');
});

test('each flow that needed a second try is named once', () => {
  expect(report(['two', 0], ['two', 1], ['one', 0], ['one', 1], ['three', 0])).toBe(
    'repeated flows: 2\n  home.spec.ts › one\n  home.spec.ts › two\n',
  );
});

test('unit tests are never repeated', ({ task }) => {
  expect(task.retry ?? 0).toBe(0);
});
