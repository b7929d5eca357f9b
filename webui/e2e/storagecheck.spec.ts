import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { violations } from './axe';
import { expect, test } from './fixtures';
import { adminPassword } from './program';
import { wordsOf } from './words';

const month = 30 * 24 * 3600;

test('a storage is checked in both languages, and what is astray is deleted', async ({ own, visit }) => {
  test.setTimeout(180_000);
  // A program of its own, with a disk that holds a file which no share knows.
  const program = await own();
  const ask = async <T>(path: string, body: object, token = ''): Promise<T> => {
    const answer = await fetch(`${program.url}/api${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
    return ((await answer.json()) as { data: T }).data;
  };
  const { token } = await ask<{ token: string }>('/admin/login', {
    username: 'admin',
    password: adminPassword,
  });
  const disk = { name: 'disk', driver: 'local', default_folder: 'shares', options: { directory: 'own' } };
  await ask('/s3-configs', disk, token);
  await program.restart((data) => {
    const path = join(data, 'own', 'shares', 'astray.txt');
    mkdirSync(join(data, 'own', 'shares'), { recursive: true });
    writeFileSync(path, 'hello');
    const then = Date.now() / 1000 - month;
    utimesSync(path, then, then);
  });
  for (const language of ['zh-CN', 'en-US'] as const) {
    const t = await wordsOf(language);
    const page = await visit({ origin: program.url, language, stored: { admin_token: token } });
    await page.goto('/admin/reconcile');
    await page.getByLabel(t('ops.reconcile.storage')).selectOption({ label: 'disk' });
    await page.getByRole('button', { name: t('ops.reconcile.check'), exact: true }).click();
    const astray = page.getByRole('group', { name: t('ops.reconcile.orphans') }).first();
    await expect(astray).toContainText('1 ·');
    await astray.locator('summary').click();
    await expect(astray).toContainText('shares/astray.txt');
    expect(await violations(page), language).toEqual([]);
    if (language === 'zh-CN') continue;
    await astray.getByRole('button', { name: `Delete: Files without a share` }).click();
    const question = page.getByRole('alertdialog');
    await expect(question).toContainText('Delete 1 file from the storage?');
    expect(await violations(page)).toEqual([]);
    await question.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page.getByText('0 adopted, 1 deleted')).toBeVisible();
  }
});
