import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { asAdmin, createCollection, createFile, freshSlug, putFile } from './api';
import { violations } from './axe';
import { expect, test } from './fixtures';
import { wordsOf, type Language } from './words';

// A point of one colour.
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

for (const language of ['en-US', 'zh-CN'] satisfies Language[]) {
  test(`several files go by one link, which a phone opens (${language})`, async ({ visit }) => {
    const say = await wordsOf(language);
    const owner = await visit({ admin: true, language });
    const slug = freshSlug();
    const names = [`README-${slug}.txt`, `notes-${slug}.txt`];
    await owner.goto('/upload');
    await owner
      .getByTestId('files')
      .setInputFiles(
        names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`in ${name}`) })),
      );
    await owner.getByRole('button', { name: say('file.form.submit', { smart_count: 2 }) }).click();
    for (const name of names)
      await expect(owner.getByLabel(say('file.results.link', { name }))).toBeVisible();
    await owner.getByRole('button', { name: say('file.results.join') }).click();
    await owner
      .getByRole('alertdialog')
      .getByRole('button', { name: say('file.results.join') })
      .click();
    const joined = owner.getByLabel(
      say('file.results.link', { name: say('file.results.joined', { smart_count: 2 }) }),
    );
    const link = new URL(await joined.inputValue());
    expect(link.pathname).toContain('/collection/');

    const phone = await visit({ language, phone: true });
    await phone.goto(link.pathname);
    const items = phone.getByRole('list', { name: say('collection.items') }).getByRole('listitem');
    await expect(items).toHaveCount(2);
    await items.nth(1).getByRole('button').click();
    await expect(phone.getByText(`in ${names[1] ?? ''}`)).toBeVisible();
    expect(await violations(phone)).toEqual([]);
    const download = phone.waitForEvent('download');
    await items
      .first()
      .getByRole('link', { name: say('collection.download', { name: names[0] ?? '' }) })
      .click();
    expect((await download).suggestedFilename()).toBe(names[0]);

    const all = phone.waitForEvent('download');
    await phone.getByRole('link', { name: say('collection.downloadAll') }).click();
    const zip = await all;
    expect(zip.suggestedFilename()).toBe(`${link.pathname.split('/').pop() ?? ''}.zip`);
    const packed = await readFile(await zip.path());
    for (const name of names) expect(packed.includes(`in ${name}`)).toBe(true);

    // The owner’s lists lead to the link that opens, not to that which the file had alone.
    await owner.goto('/upload');
    await expect(owner.getByRole('link', { name: names[1] ?? '', exact: true })).toHaveAttribute(
      'href',
      link.pathname,
    );
  });
}

for (const language of ['en-US', 'zh-CN'] satisfies Language[]) {
  test(`a folder goes by one link, which shows what is in it now (${language})`, async ({ visit }) => {
    const say = await wordsOf(language);
    const folder = freshSlug();
    await putFile(`/local/${folder}/README.md`, new TextEncoder().encode('# Read this first'));
    await putFile(`/local/${folder}/deep/notes.txt`, new TextEncoder().encode('deep down'));
    const owner = await visit({ admin: true, language });
    await owner.goto('/mount-explorer/local');
    await owner
      .getByRole('row')
      .filter({ has: owner.getByText(folder, { exact: true }) })
      .click({ button: 'right' });
    await owner.getByRole('menuitem', { name: `${say('explorer.menu.share')}…`, exact: true }).click();
    await owner.getByRole('button', { name: say('explorer.share.submit') }).click();
    const link = new URL(await owner.getByLabel(say('shareBox.link'), { exact: true }).inputValue());
    expect(link.pathname).toContain('/collection/');

    const phone = await visit({ language, phone: true });
    await phone.goto(link.pathname);
    await expect(phone.getByRole('heading', { name: 'Read this first' })).toBeVisible();
    await putFile(`/local/${folder}/deep/later.txt`, new TextEncoder().encode('came later'));
    const items = phone.getByRole('list', { name: say('collection.items') });
    await items.getByRole('button', { name: 'deep' }).click();
    await expect(items.getByRole('listitem')).toHaveCount(2);
    await items.getByRole('button', { name: /notes\.txt/ }).click();
    await expect(phone.getByText('deep down')).toBeVisible();
    expect(await violations(phone)).toEqual([]);
    const way = phone.getByRole('navigation', { name: say('collection.way') });
    const all = phone.waitForEvent('download');
    await phone.getByRole('link', { name: say('collection.downloadAll') }).click();
    expect((await all).suggestedFilename()).toBe('deep.zip');
    await way.getByRole('button').first().click();
    await expect(phone.getByRole('heading', { name: 'Read this first' })).toBeVisible();
  });
}

test('several files are sent for one link from the start', async ({ visit }) => {
  const owner = await visit({ admin: true });
  const slug = freshSlug();
  await owner.goto('/upload');
  await owner.getByTestId('files').setInputFiles(
    ['a', 'b'].map((name) => ({
      name: `${name}-${slug}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(name + slug),
    })),
  );
  // The settings stand above the list.
  const form = await owner.getByRole('heading', { name: 'Settings' }).boundingBox();
  const list = await owner.getByRole('heading', { name: 'Files', exact: true }).boundingBox();
  expect(form && list && form.y < list.y).toBe(true);
  await owner.getByRole('radio', { name: 'One link for all' }).check();
  await owner.getByLabel('Title (optional)').fill('For the crew');
  await owner.getByLabel('Custom link (optional)').fill(slug);
  expect(await violations(owner)).toEqual([]);
  await owner.getByRole('button', { name: 'Upload 2 files' }).click();
  const link = owner.getByLabel('Share link of For the crew');
  await expect(link).toHaveValue(new RegExp(`/collection/${slug}$`));
  await expect(owner.getByLabel(/^Share link of a-/)).toHaveCount(0);

  const visitor = await visit();
  await visitor.goto(new URL(await link.inputValue()).pathname);
  await expect(visitor.getByRole('list', { name: 'Files' }).getByRole('listitem')).toHaveCount(2);
});

for (const language of ['en-US', 'zh-CN'] satisfies Language[]) {
  test(`the owner edits what goes by one link, and overwrites nobody (${language})`, async ({ visit }) => {
    const say = await wordsOf(language);
    const slug = freshSlug();
    const made = await createCollection(slug, [`a-${slug}.txt`, `b-${slug}.txt`]);
    const own = freshSlug();
    await createFile(`own-${own}.txt`, new TextEncoder().encode('own'), { slug: own });

    const owner = await visit({ admin: true, language, expected: /412/ });
    await owner.goto(`/collection/${slug}`);
    await owner.getByRole('link', { name: say('collection.edit'), exact: true }).click();
    const save = owner.getByRole('button', { name: say('shareEdit.save') });
    await expect(save).toBeDisabled();
    await owner.getByTestId('more-files').setInputFiles({
      name: `c-${slug}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(`in c ${slug}`),
    });
    await owner.getByRole('button', { name: say('collectionEdit.text') }).click();
    await owner.getByLabel(say('collectionEdit.textLabel')).fill(`# Read ${slug} first`);
    await owner
      .getByRole('button', { name: say('collectionEdit.add', { smart_count: 1 }), exact: true })
      .click();
    await owner.getByRole('button', { name: say('collectionEdit.own') }).click();
    await owner.getByLabel(say('collectionEdit.search')).fill(own);
    await owner.getByRole('checkbox', { name: new RegExp(own) }).check();
    await owner
      .getByRole('button', { name: say('collectionEdit.add', { smart_count: 1 }), exact: true })
      .click();
    const rows = owner.locator('ol').getByRole('listitem');
    await expect(rows).toHaveCount(5);
    await owner
      .getByRole('button', { name: say('collectionEdit.remove', { name: `a-${slug}.txt` }) })
      .click();
    await owner
      .getByLabel(say('collectionEdit.name', { name: `b-${slug}.txt` }), { exact: true })
      .fill(`new-${slug}.txt`);
    await owner.getByLabel(say('shareEdit.remark')).fill(`Title of ${slug}`);
    expect(await violations(owner)).toEqual([]);

    // Somebody else is faster.
    await asAdmin('PUT', `/collections/${made.id}`, { title: 'faster' });
    await save.click();
    const question = owner.getByRole('alertdialog');
    await question.getByRole('button', { name: say('common.delete') }).click();
    await expect(owner.getByText(say('collectionEdit.stale'))).toBeVisible();
    await owner.getByRole('button', { name: say('collectionEdit.mine') }).click();
    await question.getByRole('button', { name: say('common.delete') }).click();
    await expect(save).toBeDisabled();

    const visitor = await visit({ language, phone: true });
    await visitor.goto(`/collection/${slug}`);
    await expect(visitor.getByRole('heading', { name: `Title of ${slug}` })).toBeVisible();
    await expect(visitor.getByRole('heading', { name: `Read ${slug} first` })).toBeVisible();
    const items = visitor.getByRole('list', { name: say('collection.items') }).getByRole('listitem');
    await expect(items).toHaveCount(4);
    await expect(items.first()).toContainText('README.md');
    await expect(visitor.getByText(`new-${slug}.txt`)).toBeVisible();
    await expect(visitor.getByText(`a-${slug}.txt`)).toHaveCount(0);
    await visitor.goto(`/collection/${slug}?edit`);
    await expect(visitor.getByRole('link', { name: say('common.gate.action') })).toBeVisible();
  });
}

for (const language of ['en-US', 'zh-CN'] satisfies Language[]) {
  test(`a selection goes by one link, and nothing beside it (${language})`, async ({ visit }) => {
    const say = await wordsOf(language);
    const folder = freshSlug();
    for (const name of ['one.txt', 'two.txt', 'secret.txt', 'deep/three.txt'])
      await putFile(`/local/${folder}/${name}`, new TextEncoder().encode(`in ${name}`));
    const owner = await visit({ admin: true, language });
    await owner.goto(`/mount-explorer/local/${folder}`);
    for (const name of ['one.txt', 'deep'])
      await owner
        .getByRole('row')
        .filter({ has: owner.getByText(name, { exact: true }) })
        .getByRole('checkbox')
        .check();
    await owner.getByRole('button', { name: say('explorer.menu.share'), exact: true }).click();
    await owner.getByRole('dialog').getByLabel(say('explorer.share.shows')).selectOption('stood');
    expect(await violations(owner)).toEqual([]);
    await owner
      .getByRole('dialog')
      .getByRole('button', { name: say('explorer.share.submit') })
      .click();
    const link = new URL(await owner.getByLabel(say('shareBox.link'), { exact: true }).inputValue());
    await owner
      .getByRole('dialog')
      .getByRole('button', { name: say('common.close') })
      .last()
      .click();
    const mark = owner.getByRole('button', { name: say('explorer.share.mark', { smart_count: 1 }) });
    await expect(mark).toHaveCount(2);
    await mark.first().click();
    await expect(owner.getByRole('dialog').getByText(link.pathname.split('/').at(-1) ?? '')).toBeVisible();
    expect(await violations(owner)).toEqual([]);

    await putFile(`/local/${folder}/one.txt`, new TextEncoder().encode('another text'));
    await putFile(`/local/${folder}/deep/later.txt`, new TextEncoder().encode('came later'));
    const visitor = await visit({ language });
    await visitor.goto(link.pathname);
    const items = visitor.getByRole('list', { name: say('collection.items') }).getByRole('listitem');
    await expect(items).toHaveCount(1);
    await expect(visitor.getByRole('region', { name: say('collection.lost') })).toContainText('one.txt');
    expect(await violations(visitor)).toEqual([]);
    await expect(visitor.getByText('secret.txt')).toHaveCount(0);
    await visitor.getByRole('button', { name: 'deep' }).click();
    await expect(visitor.getByText('three.txt')).toBeVisible();
    await expect(visitor.getByText('later.txt')).toHaveCount(0);
  });
}

for (const language of ['en-US', 'zh-CN'] satisfies Language[]) {
  test(`visitors look at pictures in a grid and a gallery, and page through them by keys (${language})`, async ({
    visit,
  }) => {
    const say = await wordsOf(language);
    const folder = freshSlug();
    for (const name of ['one.png', 'two.png'])
      await putFile(`/local/${folder}/${name}`, new Uint8Array(Buffer.from(picture, 'base64')));
    await putFile(`/local/${folder}/README.md`, new TextEncoder().encode('# About these'));
    for (let at = 0; at < 12; at++)
      await putFile(`/local/${folder}/n${at}.txt`, new TextEncoder().encode('x'.repeat(at)));
    const { slug } = await asAdmin<{ slug: string }>('POST', '/collections', { folder: `/local/${folder}` });

    for (const phone of [false, true]) {
      const visitor = await visit({ language, phone });
      await visitor.goto(`/collection/${slug}`);
      await expect(visitor.getByRole('heading', { name: 'About these' })).toBeVisible();
      // What tells about the others stands there alone.
      await expect(visitor.getByLabel(say('preview.text.encoding'))).toHaveCount(0);
      const list = visitor.getByRole('list', { name: say('collection.items') });
      await expect(list.getByRole('listitem')).toHaveCount(15);
      const label = visitor.getByText(say('collection.order.label'), { exact: true });
      expect((await label.boundingBox())?.height).toBeLessThan(30);
      await visitor.getByLabel(say('collection.order.label')).selectOption('largest');
      await expect(list.getByRole('listitem').first()).toContainText('.png');
      await list.getByRole('button', { name: 'n3.txt' }).click();
      await expect(visitor.getByRole('dialog', { name: 'n3.txt' })).toContainText('xxx');
      await visitor.keyboard.press('Escape');
      await visitor.getByRole('radio', { name: say('collection.look.grid') }).check({ force: true });
      await expect(list.locator('img')).toHaveCount(2);
      expect(await violations(visitor)).toEqual([]);
      await visitor.getByRole('radio', { name: say('collection.look.gallery') }).check({ force: true });
      const pictures = visitor.getByRole('list', { name: say('collection.pictures') });
      await expect(pictures.locator('img')).toHaveCount(2);
      await expect
        .poll(() =>
          pictures
            .locator('img')
            .evaluateAll((all) =>
              all.every((one) => one instanceof HTMLImageElement && one.naturalWidth > 0),
            ),
        )
        .toBe(true);
      expect(await violations(visitor)).toEqual([]);
      await pictures.getByRole('button', { name: 'one.png' }).click();
      await expect(visitor.getByRole('dialog', { name: 'one.png' })).toBeVisible();
      await visitor.keyboard.press('ArrowRight');
      await expect(visitor.getByRole('dialog', { name: 'two.png' })).toBeVisible();
      await visitor.keyboard.press('Escape');
      await expect(pictures).toBeVisible();
    }
    const begins = await asAdmin<{ slug: string }>('POST', '/collections', {
      folder: `/local/${folder}`,
      look: 'preview',
    });
    const visitor = await visit({ language });
    await visitor.goto(`/collection/${begins.slug}`);
    const first = visitor.getByRole('region').filter({ hasText: 'n0.txt' });
    await expect(first).toBeInViewport();
    await expect(visitor.getByRole('dialog')).toHaveCount(0);
    await first.getByRole('button', { name: say('collection.close') }).click();
    await expect(visitor.getByRole('heading', { name: 'About these' })).toBeVisible();
  });
}
