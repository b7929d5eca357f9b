import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { data, fakeApi } from '../testing/fakeApi';
import { setHead } from '../testing/head';

const path = '/admin/settings?group=4&metadata=false';
const rows = [
  { key: 'site_title', value: 'Harbour' },
  { key: 'site_favicon_url', value: 'https://example.org/i.png' },
  { key: 'site_footer_markdown', value: '**hi**' },
  { key: 'site_announcement_enabled', value: 'true' },
];

/** A fresh start of the page, a number of hours after the last one. */
async function start(hoursLater = 0) {
  vi.resetModules();
  vi.spyOn(Date, 'now').mockReturnValue(1_000_000_000 + hoursLater * 3_600_000);
  const site = await import('./site');
  await site.startSite();
  return site.siteConfig();
}

beforeEach(() => {
  setHead('<link rel="icon" href="/icon.svg">');
});

afterEach(() => vi.unstubAllGlobals());

describe('site config', () => {
  it('is read from settings group 4, and the icon follows', async () => {
    fakeApi({ [`GET ${path}`]: data(rows) });
    expect(await start()).toMatchObject({
      title: 'Harbour',
      footerMarkdown: '**hi**',
      announcementEnabled: true,
      announcement: '',
    });
    expect(document.querySelector('link')?.href).toBe('https://example.org/i.png');
  });

  it('is asked for again only after a day', async () => {
    const api = fakeApi({ [`GET ${path}`]: data(rows) });
    await start();
    expect((await start(23)).title).toBe('Harbour');
    expect(api.count('GET', path)).toBe(1);
    await start(25);
    expect(api.count('GET', path)).toBe(2);
  });

  it('stays what it was when the server does not answer', async () => {
    fakeApi({ [`GET ${path}`]: data(rows) });
    await start();
    fakeApi({});
    expect((await start(25)).title).toBe('Harbour');
  });

  it('follows what another tab has fetched, back to the product’s own icon', async () => {
    fakeApi({ [`GET ${path}`]: data(rows) });
    const before = await start();
    const site = { ...before, title: 'Dock', faviconUrl: '', footerMarkdown: '' };
    localStorage.setItem('pp.siteConfig', JSON.stringify({ at: Date.now(), site }));
    dispatchEvent(new StorageEvent('storage', { key: 'pp.siteConfig' }));
    expect((await import('./site')).siteConfig()).toEqual(site);
    expect(document.querySelector('link')?.getAttribute('href')).toBe('/icon.svg');
  });

  it.each(['{', '{"at":1}', '{"at":1,"site":{"title":5}}'])('survives a broken copy: %s', async (broken) => {
    localStorage.setItem('pp.siteConfig', broken);
    fakeApi({ [`GET ${path}`]: data(rows) });
    expect((await start()).title).toBe('Harbour');
  });

  it('takes no icon address that could run a script', async () => {
    fakeApi({ [`GET ${path}`]: data([{ key: 'site_favicon_url', value: 'javascript:alert(1)' }]) });
    await start();
    expect(document.querySelector('link')?.getAttribute('href')).toBe('/icon.svg');
  });
});
