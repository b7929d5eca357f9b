import { createPaste } from './api';
import { violations } from './axe';
import { expect, test } from './fixtures';
import { wordsOf } from './words';

// Who opened a share, and who may: found by its owner in few clicks, on a desk in English and on a phone in Chinese.

for (const { language, phone } of [
  { language: 'en-US', phone: false },
  { language: 'zh-CN', phone: true },
] as const) {
  test(`who opened a share is found, and strangers are sent to sign in (${language})`, async ({ visit }) => {
    const say = await wordsOf(language);
    const { slug } = await createPaste({
      content: 'tide tables',
      remark: `Tides ${language}`,
      syntax: 'text',
    });
    const stranger = await visit({ language, phone, expected: /401/ });
    await stranger.goto(`/paste/${slug}`);
    await expect(stranger.getByText('tide tables')).toBeVisible();

    const owner = await visit({ admin: true, language, phone });
    await owner.goto(`/admin/text-management?filter=${encodeURIComponent(JSON.stringify({ q: slug }))}`);
    const choose = async (what: string) => {
      await owner
        .getByRole('button', { name: new RegExp(slug) })
        .last()
        .click();
      await owner.getByRole('menuitem', { name: say(what) }).click();
    };
    await choose('admin.share.visits');
    const log = owner.getByRole('region', { name: say('visits.page') });
    await expect(log.getByText(say('visits.how.page'))).toBeVisible();
    await expect(log.getByText('127.0.0.0/24')).toBeVisible();
    expect(await violations(owner)).toEqual([]);
    await owner.screenshot({ path: `test-results/screens/visits-${language}.png` });
    await owner.keyboard.press('Escape');

    await choose('admin.share.access');
    await owner.getByLabel(say('visits.access.keyOnly')).check();
    await owner.getByLabel(say('visits.access.sliding')).check();
    await owner.getByLabel(say('visits.access.days')).fill('5');
    expect(await violations(owner)).toEqual([]);
    await owner.screenshot({ path: `test-results/screens/access-${language}.png` });
    await owner.getByRole('button', { name: say('visits.access.save') }).click();
    await expect(owner.getByText(say('visits.access.saved'))).toBeVisible();

    await stranger.reload();
    await expect(stranger.getByText(say('common.gate.signedOut.share'))).toBeVisible();
    await expect(stranger.getByRole('link', { name: say('common.gate.action') }).last()).toBeVisible();
    expect(await violations(stranger)).toEqual([]);
    await stranger.screenshot({ path: `test-results/screens/keyonly-${language}.png` });
  });
}
