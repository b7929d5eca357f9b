import type { ConsoleMessage, Page } from '@playwright/test';

/**
 * watch collects everything a page should never report; the list is filled as the page works. Reports of the
 * browser that match `expected` are left out.
 */
export function watch(page: Page, expected?: RegExp): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    // Chromium reports a violated content security policy as an error of the console, too.
    if (message.type() === 'error' && !isRefusal(message, page) && !expected?.test(message.text()))
      problems.push(`console: ${message.text()} (${message.location().url})`);
  });
  return problems;
}

/** A refusal that the contract asks for (401, 403, 404, 409, 410) is noted by the browser; it is no fault of the page. */
function isRefusal(message: ConsoleMessage, page: Page): boolean {
  if (!/^Failed to load resource: .* status of (401|403|404|409|410)\b/.test(message.text())) return false;
  const { url } = message.location();
  return new URL(url).pathname.startsWith('/api/') || url === page.url();
}
