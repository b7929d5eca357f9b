import { Buffer } from 'node:buffer';
import type { Page } from '@playwright/test';
import { asAdmin, createFile, createPaste, freshSlug, serverUrl } from './api';
import { violations } from './axe';
import { expect, test } from './fixtures';
import { wordsOf } from './words';

// What an owner changes in place, on a phone in Chinese and on a desk in English.

test('a paste is edited by keyboard and two writers are brought together', async ({ visit }) => {
  const say = await wordsOf('en-US');
  const { slug } = await createPaste({ content: 'one\ntwo\nthree', remark: 'Berths', syntax: 'text' });
  const page = await visit({ admin: true, expected: /412/ });
  const edit = async (who: typeof page) => {
    await who.goto(`/paste/${slug}`);
    await who.getByRole('button', { name: say('pasteView.actions.more'), exact: true }).click();
    await who.getByRole('menuitem', { name: say('pasteMore.edit') }).click();
    return who.getByRole('textbox', { name: say('shareEdit.paste.editor') });
  };
  const mine = await edit(page);
  const other = await visit({ admin: true });
  const theirs = await edit(other);
  await theirs.fill('ONE\ntwo\nthree');
  await theirs.press('Control+s');
  await expect(other.getByText(say('shareEdit.saved'))).toBeVisible();

  await mine.fill('one\ntwo\nthree and more');
  // A link does not take what is not saved away unasked.
  const discard = page.getByRole('alertdialog', { name: say('shareEdit.discard.title') });
  await page
    .getByRole('link', { name: say('pasteView.home') })
    .first()
    .click();
  await discard.getByRole('button', { name: say('common.cancel') }).click();
  await mine.press('Control+s');
  const conflict = page.getByRole('dialog', { name: say('shareEdit.paste.conflict.title') });
  const theirVersion = conflict.getByRole('region', { name: say('shareEdit.paste.conflict.theirs') });
  // Each side shows what it changed of what both began with.
  await expect(theirVersion.locator('mark')).toHaveText([/one$/, /ONE$/]);
  expect(await violations(page)).toEqual([]);
  await page.screenshot({ path: 'test-results/screens/edit-desktop.png' });
  await page.getByRole('button', { name: say('shareEdit.paste.conflict.merge') }).click();
  await expect(mine).toHaveValue('ONE\ntwo\nthree and more');
  await mine.press('Control+s');
  await expect(page.getByText('three and more')).toBeVisible();
});

test('an earlier version of a text comes back, on a phone', async ({ visit }) => {
  const say = await wordsOf('zh-CN');
  const { slug } = await createPaste({ content: 'at seven\nkeys', remark: '潮汐', syntax: 'text' });
  const page = await visit({ admin: true, phone: true, language: 'zh-CN' });
  const open = async (what: string) => {
    await page.getByRole('button', { name: say('pasteView.actions.more'), exact: true }).click();
    await page.getByRole('menuitem', { name: say(what) }).click();
  };
  await page.goto(`/paste/${slug}`);
  await open('pasteMore.versions');
  await expect(page.getByText(say('revisions.text.empty'))).toBeVisible();
  await page.keyboard.press('Escape');
  await open('pasteMore.edit');
  const area = page.getByRole('textbox', { name: say('shareEdit.paste.editor') });
  await area.fill('at eight\nkeys');
  await area.press('Control+s');
  await open('pasteMore.versions');
  const changes = page.getByRole('region', { name: say('revisions.changes') });
  await expect(changes.locator('del strong')).toHaveText('seven');
  await expect(changes.locator('ins strong')).toHaveText('eight');
  expect(await violations(page)).toEqual([]);
  await page.screenshot({ path: 'test-results/screens/versions-phone.png' });
  await page.getByRole('button', { name: say('revisions.restore') }).click();
  await expect(page.getByText('at seven')).toBeVisible();

  await open('pasteMore.versions');
  await expect(page.getByRole('dialog').getByRole('radio')).toHaveCount(2);
  await page.getByLabel(say('revisions.text.keep')).click();
  await page.getByRole('button', { name: say('revisions.drop.confirm') }).click();
  await expect(page.getByText(say('revisions.text.off'))).toBeVisible();
});

test('an earlier version of a file comes back', async ({ visit }) => {
  const say = await wordsOf('en-US');
  const path = `/local/${freshSlug()}/tides.txt`;
  for (const text of ['high at seven\nkeys', 'high at eight\nkeys'])
    await asAdmin('POST', '/fs/update', { path, content: text });
  const page = await visit({ admin: true });
  await page.goto(`/mount-explorer${path.replace('/tides', '?preview=tides')}`);
  await page.getByRole('button', { name: say('explorer.preview.more') }).click();
  await page.getByRole('menuitem', { name: say('explorer.preview.versions') }).click();
  const changes = page.getByRole('region', { name: say('revisions.changes') });
  await expect(changes.locator('del strong')).toHaveText('seven');
  expect(await violations(page)).toEqual([]);
  await page.screenshot({ path: 'test-results/screens/versions-file.png' });
  await page.getByRole('button', { name: say('revisions.restore') }).click();
  await expect(page.getByText('high at seven')).toBeVisible();
});

test('file info is edited on a phone', async ({ visit }) => {
  const say = await wordsOf('zh-CN');
  const slug = freshSlug();
  await createFile('tides.txt', new TextEncoder().encode('06:40'), { slug, remark: 'Old' });
  const page = await visit({ admin: true, phone: true, language: 'zh-CN' });
  await page.goto(`/file/${slug}`);
  await page.getByRole('button', { name: say('fileView.actions.more'), exact: true }).click();
  await page.getByRole('menuitem', { name: say('fileView.actions.edit') }).click();
  const dialog = page.getByRole('dialog', { name: say('shareEdit.fileTitle') });
  await dialog.getByLabel(say('shareEdit.remark')).fill('潮汐');
  await page.screenshot({ path: 'test-results/screens/edit-file-phone.png' });
  await dialog.getByRole('button', { name: say('shareEdit.save') }).click();
  await expect(page.getByText('潮汐')).toBeVisible();
});

for (const language of ['en-US', 'zh-CN'] as const)
  test(`a shared file is replaced under its link, and the earlier one comes back (${language})`, async ({
    visit,
  }) => {
    const say = await wordsOf(language);
    const slug = freshSlug();
    await createFile('tides.bin', new TextEncoder().encode('high at seven'), {
      slug,
      password: 'harbour',
      max_views: 50,
      remark: 'Tides',
    });
    const page = await visit({ admin: true, language });
    const visitor = await visit({ language });
    const reads = async () => {
      const at = `${serverUrl()}/api/file-download/${slug}`;
      expect((await visitor.request.get(at)).status()).toBe(401);
      return (await visitor.request.get(`${at}?password=harbour`)).text();
    };
    const open = async (action: 'edit' | 'replace', title: string) => {
      await page.goto(`/file/${slug}`);
      await page.getByLabel(say('shareGate.password.label'), { exact: true }).fill('harbour');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: say(`fileView.actions.${action}`) }).click();
      return page.getByRole('dialog', { name: say(title), exact: true });
    };
    const choose = async (text: string) => {
      await page.getByTestId('replacement').setInputFiles({
        name: 'new tides.bin',
        mimeType: 'application/octet-stream',
        buffer: Buffer.from(text),
      });
      await page.getByRole('button', { name: say('shareEdit.replace.confirm'), exact: true }).click();
    };

    // What is cancelled leaves the link as it was.
    let dialog = await open('replace', 'shareEdit.replace.heading');
    await expect(dialog.getByRole('button', { name: say('shareEdit.replace.choose') })).toBeInViewport();
    expect(await violations(page)).toEqual([]);
    await page.screenshot({ path: `test-results/screens/replace-${language}.png` });
    let hold: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (hold = resolve));
    await page.route('**/*', async (route) => {
      if (route.request().method() === 'PUT') await held;
      await route.continue().catch(() => undefined);
    });
    await choose('high at nine');
    await expect(dialog.getByText('new tides.bin')).toBeVisible();
    expect(await reads()).toBe('high at seven');
    await dialog.getByRole('button', { name: say('file.list.cancel', { name: 'new tides.bin' }) }).click();
    await expect(dialog.getByText(say('file.status.cancelledDeleted'))).toBeVisible();
    await page.screenshot({ path: `test-results/screens/replace-cancelled-${language}.png` });
    hold?.();
    await page.unroute('**/*');
    await dialog.getByRole('button', { name: say('file.list.remove', { name: 'new tides.bin' }) }).click();
    expect(await reads()).toBe('high at seven');

    await choose('high at eight');
    await expect(page.getByText(say('shareEdit.replace.done'))).toBeVisible();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('heading', { level: 1, name: 'new tides.bin' })).toBeVisible();
    expect(await reads()).toBe('high at eight');

    dialog = await open('edit', 'shareEdit.fileTitle');
    await expect(dialog.getByLabel(say('shareEdit.remark'))).toHaveValue('Tides');
    await dialog.getByText(say('shareEdit.former')).click();
    await dialog.getByRole('button', { name: say('revisions.restoreOf', { name: 'tides.bin' }) }).click();
    await expect(page.getByText(say('revisions.restored'))).toBeVisible();
    expect(await reads()).toBe('high at seven');
  });

test('a text is exported from Home', async ({ visit }) => {
  const say = await wordsOf('en-US');
  const page = await visit({ phone: true });
  await page.goto('/');
  await page.getByLabel(say('home.editor.label')).fill('Tides\n06:40');
  await page.getByRole('button', { name: say('exports.open'), exact: true }).click();
  await page.screenshot({ path: 'test-results/screens/export-phone.png' });
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: say('exports.html') }).click();
  expect((await saved).suggestedFilename()).toMatch(/^paste-\d{8}-\d{4}\.html$/);
});

test('what is not saved is asked about exactly once, by whatever way a page is left', async ({ visit }) => {
  const say = await wordsOf('en-US');
  const { slug } = await createPaste({ content: 'one', syntax: 'text' });

  /** leaves tries every way out and stays, then goes back and is gone. */
  async function leaves(page: Page, stay: string, go: string, link: string) {
    const here = page.url();
    const question = page.getByRole('alertdialog');
    let native = 0;
    page.on('dialog', (dialog) => {
      native += 1;
      void dialog.dismiss();
    });
    const ways = [
      () => page.getByRole('link', { name: link, exact: true }).first().click(),
      () =>
        page
          .getByRole('banner')
          .getByRole('link', { name: say('app.nav.upload'), exact: true })
          .click(),
      () => page.evaluate(() => history.back()),
      () => page.evaluate(() => history.forward()),
      async () => {
        const banner = page.getByRole('banner');
        await banner.getByRole('button', { name: say('app.who.admin'), exact: true }).click();
        await page.getByRole('menuitem', { name: say('app.who.signOut'), exact: true }).click();
      },
    ];
    for (const way of ways) {
      await way();
      await expect(question).toHaveCount(1);
      await question.getByRole('button', { name: stay, exact: true }).click();
      await expect(question).toHaveCount(0);
      expect(page.url()).toBe(here);
    }
    expect(native).toBe(0);
    // The browser asks by itself before it loads a page anew or closes it, which ends the attempt.
    await page.evaluate(() => setTimeout(() => location.reload()));
    await expect.poll(() => native).toBe(1);
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => native).toBe(2);
    expect(page.url()).toBe(here);
    await expect(question).toHaveCount(0);
    await page.evaluate(() => history.back());
    await question.getByRole('button', { name: go, exact: true }).click();
    await expect(page).not.toHaveURL(here);
    await expect(question).toHaveCount(0);
    expect(native).toBe(2);
  }

  /** between has a page before and after the one on the screen, in its history. */
  async function between(page: Page, name: string) {
    const here = page.url();
    await page.getByRole('banner').getByRole('link', { name, exact: true }).click();
    await expect(page).not.toHaveURL(here);
    await page.evaluate(() => history.back());
    await expect(page).toHaveURL(here);
  }

  const panel = await visit({ admin: true });
  await panel.goto('/admin/key-management');
  await panel
    .getByRole('link', { name: say('admin.keys.create'), exact: true })
    .first()
    .click();
  const keyName = panel.getByLabel(say('admin.keys.name'), { exact: true });
  await expect(keyName).toBeVisible();
  await between(panel, say('app.nav.home'));
  await keyName.fill('not saved');
  await leaves(panel, say('admin.form.stay'), say('admin.form.leave'), say('admin.pages.dashboard'));

  const paste = await visit({ admin: true });
  await paste.goto('/');
  // By the app itself, so that Back stays in this document.
  await paste.evaluate((to) => history.pushState(null, '', to), `/paste/${slug}`);
  await between(paste, say('app.nav.home'));
  await paste.getByRole('button', { name: say('pasteView.actions.more'), exact: true }).click();
  await paste.getByRole('menuitem', { name: say('pasteMore.edit') }).click();
  await paste.getByRole('textbox', { name: say('shareEdit.paste.editor') }).fill('two');
  await leaves(paste, say('common.cancel'), say('shareEdit.discard.confirm'), say('pasteView.home'));
});
