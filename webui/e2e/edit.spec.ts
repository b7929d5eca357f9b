import { createFile, createPaste, freshSlug } from './api';
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
  await expect(theirVersion.locator('mark').first()).toHaveText(/ONE$/);
  expect(await violations(page)).toEqual([]);
  await page.screenshot({ path: 'test-results/screens/edit-desktop.png' });
  await page.getByRole('button', { name: say('shareEdit.paste.conflict.merge') }).click();
  await expect(mine).toHaveValue('ONE\ntwo\nthree and more');
  await mine.press('Control+s');
  await expect(page.getByText('three and more')).toBeVisible();
});

test('file info is edited on a phone', async ({ visit }) => {
  const say = await wordsOf('zh-CN');
  const slug = freshSlug();
  await createFile('tides.txt', new TextEncoder().encode('06:40'), { slug, remark: 'Old' });
  const page = await visit({ admin: true, phone: true, language: 'zh-CN' });
  await page.goto(`/file/${slug}`);
  await page.getByRole('button', { name: say('fileView.actions.edit') }).click();
  const dialog = page.getByRole('dialog', { name: say('shareEdit.fileTitle') });
  await dialog.getByLabel(say('shareEdit.remark')).fill('潮汐');
  await page.screenshot({ path: 'test-results/screens/edit-file-phone.png' });
  await dialog.getByRole('button', { name: say('shareEdit.save') }).click();
  await expect(page.getByText('潮汐')).toBeVisible();
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
