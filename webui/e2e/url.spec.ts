import { createServer, type Server } from 'node:http';
import { violations } from './axe';
import { expect, test } from './fixtures';
import { sha256, wav } from './media';
import { wordsOf } from './words';

// Another site: every address but /none is a file, sent in two halves when the test says so.
const cargo = wav(6 << 20);
let site: Server;
let sendRest: (() => void) | undefined;
let inHalves = false;

test.beforeAll(async () => {
  site = createServer((request, response) => {
    if (request.url === '/none') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      'Content-Type': 'audio/wav',
      'Content-Length': cargo.length,
    });
    if (request.method === 'HEAD') response.end();
    else if (!inHalves) response.end(cargo);
    else {
      response.write(cargo.subarray(0, cargo.length / 2));
      sendRest = () => response.end(cargo.subarray(cargo.length / 2));
    }
  });
  const [host, port] = (process.env.PASTEPORT_E2E_FAR ?? '').split(':');
  await new Promise<void>((resolve, reject) => {
    site.once('error', reject);
    site.listen(Number(port), host, resolve);
  });
});

test.afterAll(() => {
  site.closeAllConnections();
  site.close();
});

test('what an address holds becomes a share, through the server where the site cannot be read', async ({
  visit,
}) => {
  const far = `http://${process.env.PASTEPORT_E2E_FAR}`;
  const file = `${far}/${encodeURIComponent('货物 horn.wav')}`;
  const say = await wordsOf('en-US');
  // The page may not talk to other sites itself; that is noted before the server is asked.
  const page = await visit({
    admin: true,
    phone: true,
    expected: /Content Security Policy|Failed to load resource/,
  });
  await page.goto('/upload#url');
  const tab = page.getByRole('tab', { name: say('file.source.url') });
  await expect(tab).toHaveAttribute('aria-selected', 'true');
  await tab.press('ArrowLeft');
  await expect(page.getByRole('button', { name: say('file.drop.choose') })).toBeVisible();
  await expect(page).toHaveURL('/upload');
  await page.keyboard.press('ArrowRight');
  await expect(page).toHaveURL('/upload#url');

  const address = page.getByLabel(say('file.url.label'));
  await address.fill(`${far}/none`);
  await page.keyboard.press('Enter');
  await expect(address).toHaveAttribute('aria-invalid', 'true');

  await address.fill(file);
  await page.keyboard.press('Enter');
  const name = page.getByLabel(say('file.url.name'));
  await expect(name).toHaveValue('货物 horn.wav');
  await expect(page.getByRole('tabpanel').getByText('6 MB')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.screenshot({ path: 'test-results/screens/url.phone.png', fullPage: true });

  // It is cancelled on its way, and then goes through.
  inHalves = true;
  await page.getByRole('button', { name: say('file.url.submit') }).click();
  const progress = page.getByRole('progressbar');
  await expect.poll(async () => Number(await progress.getAttribute('value'))).toBeGreaterThan(10);
  await expect(page.getByText(say('file.url.stage.proxied'))).toBeVisible();
  expect(Number(await progress.getAttribute('value'))).toBeLessThanOrEqual(49);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: say('file.url.cancel') }).click();
  await expect(page.getByText(say('file.errors.cancelled'))).toBeVisible();
  sendRest?.();

  inHalves = false;
  await page.getByRole('button', { name: say('file.url.submit') }).click();
  const link = page.getByLabel(say('file.results.link', { name: '货物 horn.wav' }), { exact: true });
  await expect(link).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole('table').getByRole('link', { name: '货物 horn.wav' }).first()).toBeVisible();

  const shared = await link.inputValue();

  // The server does it alone; it is on the list after a reload, too.
  await address.fill(file);
  await page.keyboard.press('Enter');
  await name.fill('alone.wav');
  await page.getByText(say('file.url.advanced')).click();
  await page.getByLabel(say('file.url.method')).selectOption('server');
  await page.getByRole('button', { name: say('file.url.submit') }).click();
  const fetched = page.getByRole('listitem').filter({ hasText: 'alone.wav' });
  await expect(fetched.getByText(say('file.fetches.completed'))).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole('table').getByRole('link', { name: 'alone.wav', exact: true })).toBeVisible();
  await page.reload();
  await expect(fetched.getByText(say('file.fetches.completed'))).toBeVisible();
  expect(await violations(page)).toEqual([]);

  const visitor = await visit();
  await visitor.goto(shared);
  await expect(visitor.getByText(`[URL] ${file}`)).toBeVisible();
  const saved = visitor.waitForEvent('download');
  await visitor.getByRole('link', { name: say('fileView.actions.download') }).click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await saved).createReadStream()) chunks.push(chunk as Buffer);
  expect(sha256(Buffer.concat(chunks))).toBe(sha256(cargo));
});
