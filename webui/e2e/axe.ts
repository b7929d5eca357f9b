import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** violations runs axe in the page. The CSP refuses a script tag, so the debugger brings it in. */
export async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { result: present } = await session.send('Runtime.evaluate', { expression: `'axe' in window` });
  if (!present.value) await session.send('Runtime.evaluate', { expression: axe });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] }).then((found) => JSON.stringify(
      found.violations.flatMap((rule) => rule.nodes.map((node) => rule.id + ': ' + node.html.slice(0, 160) + ' ' + node.failureSummary)),
    ))`,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  if (exceptionDetails) throw new Error(`axe: ${exceptionDetails.exception?.description}`);
  return JSON.parse(result.value as string) as string[];
}
