import { createPaste, freshSlug } from './api';
import { expect, openContext, test } from './fixtures';
import { controlled, Line, stored } from './line';

test.use({ serviceWorkers: 'allow' });

test('what a gateway says in the server’s place is neither kept nor believed', async ({ browser }) => {
  const line = new Line();
  const origin = await line.open();
  const context = await openContext(browser, { origin });
  const page = await context.newPage();
  const { slug } = await createPaste({ content: 'read before the gateway', slug: freshSlug() });
  const share = page.getByText('read before the gateway');
  await page.goto('/');
  await controlled(page);
  await page.goto(`/paste/${slug}`);
  await expect(share).toBeVisible();
  await expect.poll(() => stored(page).then((rows) => rows.join('\n'))).toContain('read before the gateway');

  line.gateway = /^\/(api|assets|icons)\//;
  await page.reload();
  await expect(share).toBeVisible();
  const asked = await page.evaluate(async () => {
    const paths = ['/assets/late.js', '/icons/late.png', '/api/version', '/api/admin/settings?group=4'];
    const texts = await Promise.all(paths.map((path) => fetch(path).then((response) => response.text())));
    return texts.filter((text) => text.includes('Log in to the network')).length;
  });
  // The worker passes them on, but those that it has kept from the server.
  expect(asked).toBeGreaterThanOrEqual(2);
  const poisoned = () =>
    page.evaluate(async () => {
      const found: string[] = [];
      for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const key of await cache.keys()) {
          const text = await (await cache.match(key))?.text();
          if (text?.includes('Log in to the network')) found.push(`${name} ${key.url}`);
        }
      }
      return found;
    });
  expect(await poisoned()).toEqual([]);

  line.gateway = undefined;
  await page.reload();
  await expect(share).toBeVisible();
  expect(await poisoned()).toEqual([]);
  expect((await stored(page)).join('\n')).toContain('read before the gateway');
  await context.close();
  line.close();
});
