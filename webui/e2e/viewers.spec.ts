import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { createFile, freshSlug, putFile, serverUrl } from './api';
import { violations } from './axe';
import { pdf, sheet, word } from './documents';
import { film, flv, list, transport } from './film';
import { expect, test } from './fixtures';
import { mp3, png, wav } from './media';
import { tar, zip } from './zip';

const shot = (page: Page, name: string) =>
  page.screenshot({ path: `test-results/screens/viewer-${name}.png`, fullPage: true });

test('documents are shown by the page itself, and reach nothing of it', async ({ visit }) => {
  await createFile('rules.docx', await word(), { slug: 'view-docx' });
  await createFile('ships 船只.xlsx', sheet(), { slug: 'view-xlsx' });
  const page = await visit({ phone: true });
  // What stands below a document stays where it is when the document comes.
  let come = () => {};
  const held = new Promise<void>((resolve) => (come = resolve));
  await page.route('**/file-view/**', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/file/view-docx');
  const facts = page.getByRole('heading', { name: 'Details' });
  await expect(facts).toBeVisible();
  const below = await facts.boundingBox();
  come();
  const frame = page.frameLocator('iframe');
  await expect(frame.getByText('Harbour rules 港口守则')).toBeVisible();
  expect((await facts.boundingBox())?.y).toBe(below?.y);
  await page.unroute('**/file-view/**');
  await expect(page.locator('iframe')).not.toHaveAttribute('sandbox', /allow-(scripts|same-origin)/);
  await expect(frame.getByRole('link', { name: 'the port' })).toHaveAttribute('target', '_blank');
  await expect(frame.getByText('trap')).toBeVisible();
  // On a phone the page fits: what begins to the left of the frame could not be scrolled to.
  const frameBox = await page.locator('iframe').boundingBox();
  const words = await frame.getByText('Harbour rules 港口守则').boundingBox();
  expect(words && frameBox && words.x >= frameBox.x).toBe(true);
  await expect(frame.getByRole('link', { name: 'trap' })).toHaveCount(0);
  expect(await violations(page)).toEqual([]);
  await shot(page, 'word.phone');

  // Microsoft's server could not come here, and is not asked to.
  await page.getByRole('radio', { name: 'Microsoft' }).check();
  await page.getByRole('button', { name: 'Agree and show' }).click();
  await expect(page.getByText('Microsoft can’t reach this document')).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem('pp.officeConsent'))).toBe('yes');

  await page.goto('/file/view-xlsx');
  await expect(page.getByRole('cell', { name: 'Aurora' })).toBeVisible();
  await expect(page.getByRole('cell', { name: '7.2' })).toBeVisible();
  await page.getByLabel('Sheet').selectOption('泊位');
  await expect(page.getByRole('cell', { name: '四号' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await shot(page, 'sheet.phone');
});

test('other companies show a document only when the reader agrees', async ({ visit }) => {
  await createFile('plan.pptx', Buffer.from('no slides'), { slug: 'view-pptx', max_views: 2 });
  const origin = serverUrl().replace('127.0.0.1', 'pasteport.test');
  const page = await visit({ origin, language: 'zh-CN' });
  const asked: string[] = [];
  await page.route(/^https:\/\/(view\.officeapps\.live\.com|docs\.google\.com)\//, async (route) => {
    asked.push(route.request().url());
    await route.fulfill({ contentType: 'text/html', body: '<h1>slides</h1>' });
  });
  await page.goto('/file/view-pptx');
  await expect(page.getByText('使用 Microsoft 显示此文档？')).toBeVisible();
  expect(asked).toEqual([]);
  expect(await violations(page)).toEqual([]);
  await shot(page, 'consent');
  await page.getByRole('button', { name: '同意并显示' }).click();
  await expect(page.frameLocator('iframe').getByRole('heading', { name: 'slides' })).toBeVisible();
  await page.getByRole('radio', { name: 'Google' }).check();
  await expect.poll(() => asked.length).toBe(2);

  // What both were given opens the file, and the two took no view besides the page's own.
  const [first, second] = asked.map((address) => new URL(address));
  expect(second?.host).toBe('docs.google.com');
  const link = new URL(first?.searchParams.get('src') ?? '');
  expect(link.hostname).toBe('pasteport.test');
  link.hostname = '127.0.0.1';
  expect(await (await fetch(link)).text()).toBe('no slides');
  const peek = await fetch(`${serverUrl()}/api/public/files/view-pptx?peek=1`);
  expect(await peek.json()).toMatchObject({ data: { isLastView: true } });
});

test('a browser without a PDF viewer gets pages, zoom and search', async ({ visit }) => {
  await createFile('tides.pdf', pdf(['Tides of May', 'Moorings', 'Tides of June']), {
    slug: 'view-pdf',
  });
  const page = await visit();
  await page.addInitScript(() =>
    Object.defineProperty(Navigator.prototype, 'pdfViewerEnabled', { get: () => false }),
  );
  await page.goto('/file/view-pdf');
  await expect(page.getByText('Page 1 of 3')).toBeVisible();
  await expect(page.getByText('Tides of May')).toBeVisible();
  await page.getByLabel('Find in the document').fill('june');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Found on 1 page')).toBeVisible();
  await expect(page.locator('[data-hit]')).toHaveText('Tides of June');
  await expect(page.getByText('Page 3 of 3')).toBeVisible();
  const width = () => page.locator('[data-page="3"]').evaluate((element) => element.clientWidth);
  const before = await width();
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect.poll(width).toBeGreaterThan(before * 1.2);
  expect(await violations(page)).toEqual([]);
  await shot(page, 'pdf');
});

test('values that are parted by commas are a table, of which the head stays', async ({ visit }) => {
  const rows = Array.from({ length: 700 }, (_, index) => `${index},"Berth ${index}, north",${index * 1.5}`);
  await createFile('berths.csv', Buffer.from(`number,name,length in metres\n${rows.join('\n')}\n`), {
    slug: 'view-csv',
  });
  const page = await visit({ phone: true });
  await page.goto('/file/view-csv');
  const table = page.getByRole('region', { name: 'berths.csv' });
  await expect(table.getByRole('cell', { name: 'Berth 7, north' })).toBeVisible();
  await expect(page.getByText('The first 500 rows')).toBeVisible();
  await table.evaluate((element) => element.scrollTo(0, 5000));
  await expect(table.getByRole('columnheader', { name: 'length in metres' })).toBeInViewport();
  expect(await violations(page)).toEqual([]);
  await shot(page, 'csv.phone');
  await page.getByRole('button', { name: 'Show more rows' }).click();
  await expect(table.getByRole('cell', { name: 'Berth 699, north' })).toBeAttached();
  await expect(page.getByText('700 rows', { exact: true })).toBeVisible();
  await page.getByRole('radio', { name: 'Text' }).check();
  await expect(page.getByText('0,"Berth 0, north",0')).toBeVisible();
});

test('archives, texts of other encodings, sounds and films', async ({ visit }) => {
  await createFile('crew.zip', zip({ 'crew/list.txt': 'Ada\nBo\n', 'crew/图.svg': '<svg/>' }), {
    slug: 'view-zip',
  });
  await createFile('crew.tar.gz', gzipSync(tar('deep/log.txt', 'All well.')), { slug: 'view-tgz' });
  // Russian in windows-1251
  const russian = Buffer.from(
    'cff0e8f7e0eb20edeeece5f020f7e5f2fbf0e520f1e2eee1eee4e5ed2e20cef1e0e4eae020f1f3e4ede020f1e5ecfc20ece5' +
      'f2f0eee22e20cae0efe8f2e0ed20eff0eef1e8f220ebeef6ece0ede020ea20f8e5f1f2e820f7e0f1e0ec20f3f2f0e02c20ea' +
      'eee3e4e020ede0f7edb8f2f1ff20eff0e8ebe8e22e',
    'hex',
  );
  await createFile('letter.txt', russian, { slug: 'view-text' });
  await createFile('main.go', Buffer.from('package main\n'), { slug: 'view-code' });
  await createFile('horn.wav', wav(200_044), { slug: 'view-wav' });
  await createFile(
    'live.m3u8',
    Buffer.from('#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nno.ts\n#EXT-X-ENDLIST\n'),
    {
      slug: 'view-hls',
    },
  );
  await createFile('pier.png', png(640, 360), { slug: 'view-png' });
  const page = await visit({ stored: { themeMode: 'dark' }, expected: /Failed to load resource/ });

  await page.goto('/file/view-zip');
  await expect(page.getByRole('cell', { name: 'crew/图.svg' })).toBeVisible();
  await expect(page.getByText('2 files, 13 B unpacked')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  const [taken] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download list.txt' }).click(),
  ]);
  expect(taken.suggestedFilename()).toBe('list.txt');
  expect(readFileSync(await taken.path(), 'utf8')).toBe('Ada\nBo\n');
  await shot(page, 'zip.dark');

  await page.goto('/file/view-tgz');
  await expect(page.getByRole('cell', { name: 'deep/log.txt' })).toBeVisible();
  await expect(page.getByText('1 file, 9 B unpacked')).toBeVisible();
  expect(await violations(page)).toEqual([]);

  await page.goto('/file/view-text');
  await expect(page.getByText('Капитан просит лоцмана')).toBeVisible();
  await expect(page.getByLabel('Encoding')).toHaveValue('windows-1251');

  await page.goto('/file/view-code');
  await expect(page.locator('.hljs-keyword')).toHaveText('package');
  await page.getByLabel('Language').last().selectOption('');
  await expect(page.locator('.hljs-keyword')).toHaveCount(0);

  await page.goto('/file/view-hls');
  await expect(page.getByText('This browser can’t play the file')).toBeVisible();
  await page.locator('summary', { hasText: 'Details' }).click();
  await expect(page.getByText('VLC, mpv, PotPlayer')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await shot(page, 'card.dark');

  // A sound goes on while its listener looks at other pages.
  await page.goto('/file/view-wav');
  const player = page.locator('audio');
  await expect.poll(() => player.evaluate((audio: HTMLAudioElement) => audio.duration)).toBeGreaterThan(1);
  await player.evaluate((audio: HTMLAudioElement) => {
    audio.loop = true;
    audio.muted = true;
    return audio.play();
  });
  await page.getByLabel('Speed').selectOption('0.5');
  await expect.poll(() => player.evaluate((audio: HTMLAudioElement) => audio.playbackRate)).toBe(0.5);
  await page.getByRole('link', { name: 'Upload', exact: true }).click();
  const docked = page.getByRole('region', { name: 'Now playing' });
  await expect(docked).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: 'Upload files' })).toBeVisible();
  await expect.poll(() => player.evaluate((audio: HTMLAudioElement) => audio.paused)).toBe(false);
  expect(await violations(page)).toEqual([]);
  await shot(page, 'docked.dark');
  await docked.getByRole('button', { name: 'Close player' }).click();
  await expect(docked).toHaveCount(0);

  await page.goto('/file/view-png');
  await page.getByRole('button', { name: 'Enlarge image pier.png' }).click();
  const large = page.getByRole('dialog', { name: 'pier.png' });
  await expect(large).toBeVisible();
  await page.keyboard.press('+');
  await expect(large.getByRole('button', { name: 'Zoom out' })).toBeEnabled();
  await large.getByRole('button', { name: 'Rotate' }).click();
  await expect(large.getByRole('img')).toHaveAttribute('style', /rotate\(90deg\) scale\(1\.4\)/);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Enlarge image pier.png' })).toBeFocused();
});

test('films in FLV, in MPEG-TS and in pieces are played; TypeScript is read', async ({ visit }) => {
  await createFile('ferry.flv', flv(), { slug: 'view-flv' });
  await createFile('ferry.ts', transport(), { slug: 'view-ts' });
  await createFile('types.ts', Buffer.from('export type Berth = number;\n'), { slug: 'view-types' });
  const piece = `${serverUrl()}/api/file-view/view-ts`;
  await createFile('ferry.m3u8', Buffer.from(list(piece)), { slug: 'view-list' });
  const page = await visit();
  for (const slug of ['view-flv', 'view-ts', 'view-list']) {
    await page.goto(`/file/${slug}`);
    const player = page.locator('video');
    await expect
      .poll(() => player.evaluate((video: HTMLVideoElement) => [video.videoWidth, video.videoHeight]), slug)
      .toEqual([film.width, film.height]);
    await expect(player).not.toHaveAttribute('aria-busy');
    expect
      .soft(
        await player.evaluate(async (video: HTMLVideoElement) => {
          video.muted = true;
          video.playbackRate = 2;
          const ended = new Promise((resolve) => video.addEventListener('ended', resolve, { once: true }));
          await video.play();
          await ended;
          return video.currentTime;
        }),
        slug,
      )
      .toBeGreaterThan(film.pictures / film.perSecond - 0.3);
  }
  await page.goto('/file/view-types');
  await expect(page.locator('.hljs-keyword').first()).toHaveText('export');

  // A film whose rest does not come says so, keeps what has come, and goes on when asked.
  await createFile('cut.flv', flv(), { slug: 'view-cut' });
  await page.addInitScript(() => {
    const real = window.fetch;
    window.fetch = async (...asked: Parameters<typeof fetch>) => {
      const response = await real(...asked);
      const healed = Reflect.get(window, 'healed') === true || !response.url.includes('view-cut');
      const reader = healed ? undefined : response.body?.getReader();
      if (!reader) return response;
      let left = 50_000;
      const body = new ReadableStream<Uint8Array>({
        async pull(out) {
          const { value } = await reader.read();
          if (!value) return out.close();
          out.enqueue(value.subarray(0, left));
          left -= value.length;
          if (left <= 0) out.error(new TypeError('the line is gone'));
        },
      });
      return new Response(body, response);
    };
  });
  await page.goto('/file/view-cut');
  await expect(page.getByText('Playback stopped')).toBeVisible();
  await expect(page.locator('video')).toBeVisible();
  await page.evaluate(() => Reflect.set(window, 'healed', true));
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Playback stopped')).toBeHidden();
});

test('a viewer that shows nothing for ten seconds gives way once, then says what helps', async ({
  visit,
}) => {
  await createFile('tide.ppt', Buffer.from('no slides'), { slug: 'view-ppt' });
  const origin = serverUrl().replace('127.0.0.1', 'pasteport.test');
  const page = await visit({ origin, stored: { 'pp.officeConsent': 'yes' } });
  const asked: string[] = [];
  await page.route(/^https:\/\/(view\.officeapps\.live\.com|docs\.google\.com)\//, (route) => {
    asked.push(new URL(route.request().url()).host);
    // Neither is ever answered.
  });
  await page.clock.install();
  await page.goto('/file/view-ppt');
  await expect(page.getByText('Microsoft is loading the document')).toBeVisible();
  await expect.poll(() => asked).toEqual(['view.officeapps.live.com']);
  // From here on time stands still but for what the test lets pass; a busy machine has spent some of the ten seconds.
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1000);
  await page.clock.runFor(3_000);
  await expect(page.getByRole('radio', { name: 'Microsoft' })).toBeChecked();
  await page.clock.runFor(7_000);
  await expect(page.getByRole('radio', { name: 'Google' })).toBeChecked();
  await expect(page.getByText('Google is loading the document')).toBeVisible();
  await expect
    .poll(async () => {
      // The address of the file takes a moment, too.
      await page.clock.runFor(50);
      return asked;
    })
    .toEqual(['view.officeapps.live.com', 'docs.google.com']);
  await page.clock.runFor(10_500);
  const failed = page.getByRole('alert').filter({ hasText: 'Google isn’t responding.' });
  await expect(failed.getByRole('listitem')).toHaveCount(3);
  await page.clock.resume();
  expect(await violations(page)).toEqual([]);
  await failed.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Google is loading the document')).toBeVisible();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a sound brings lyrics and cover of its folder, a film its subtitles', async ({ visit }) => {
  const folder = `/local/${freshSlug()}`;
  await putFile(`${folder}/01 horn.wav`, wav(2_000_044));
  await putFile(
    `${folder}/01 horn.lrc`,
    Buffer.from('[ti:Horn]\n[00:02.00]雾号响起\n[00:05.00]The pier answers\n'),
  );
  await putFile(`${folder}/02 bell.wav`, wav(200_044));
  await putFile(`${folder}/cover.png`, png(64, 64));
  await putFile(`${folder}/ferry.flv`, flv());
  const words = 'Format: Start, End, Text\nDialogue: 0:00:00.00,0:00:02.00,{\\b1}Ahoy, all\n';
  await putFile(`${folder}/ferry.zh.ass`, Buffer.from(`[Script Info]\n\n[Events]\n${words}`));
  const page = await visit({ admin: true, stored: { themeMode: 'dark' } });
  const open = (name: string) => page.goto(`/mount-explorer${folder}?preview=${encodeURIComponent(name)}`);

  await open('01 horn.wav');
  const lyrics = page.getByRole('list', { name: 'Lyrics' });
  await expect(lyrics.getByRole('button')).toHaveText(['雾号响起', 'The pier answers']);
  await lyrics.getByRole('button', { name: 'The pier answers' }).click();
  await expect(lyrics.locator('[aria-current=true]')).toHaveText('The pier answers');
  const sound = page.locator('audio');
  expect(await sound.evaluate((audio: HTMLAudioElement) => audio.currentTime)).toBe(5);
  await expect
    .poll(() =>
      page.locator('main img').evaluateAll((all: HTMLImageElement[]) => all.map((one) => one.naturalWidth)),
    )
    .toContain(64);
  expect(await violations(page)).toEqual([]);
  await shot(page, 'lyrics.dark');
  await page.getByRole('button', { name: 'Next track' }).click();
  await expect(page.getByText('02 bell.wav').last()).toBeVisible();
  await expect(lyrics).toHaveCount(0);

  // A sound with a cover of its own, in a folder without one.
  await putFile(`${folder}/songs/song.mp3`, mp3('码头', 'The Cranes', png(48, 48)));
  await page.goto(`/mount-explorer${folder}/songs?preview=song.mp3`);
  await expect(page.getByText('码头')).toBeVisible();
  await expect(page.getByText('The Cranes')).toBeVisible();
  await expect
    .poll(() =>
      page.locator('main img').evaluateAll((all: HTMLImageElement[]) => all.map((one) => one.naturalWidth)),
    )
    .toContain(48);

  await open('ferry.flv');
  const film = page.locator('video');
  await expect.poll(() => film.evaluate((video: HTMLVideoElement) => video.readyState)).toBeGreaterThan(1);
  await expect
    .poll(() =>
      film.evaluate((video: HTMLVideoElement) => {
        const [track] = video.textTracks;
        return track && [track.label, ...[...(track.cues ?? [])].map((cue) => (cue as VTTCue).text)];
      }),
    )
    .toEqual(['zh', 'Ahoy, all']);
  await film.focus();
  await page.keyboard.press('m');
  expect(await film.evaluate((video: HTMLVideoElement) => video.muted)).toBe(true);
});
