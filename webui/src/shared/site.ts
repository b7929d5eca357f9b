import { config, readStoredJson, writeStored } from '../config';
import { makeStore, useStore } from '../store';

/** What the administrator set for the site (settings group 4); empty texts mean "not set". */
interface SiteConfig {
  title: string;
  faviconUrl: string;
  footerMarkdown: string;
  announcementEnabled: boolean;
  announcement: string;
  customHead: string;
  customBody: string;
}

/** How long in milliseconds the copy on this device is used without asking again (§9). */
const cachedFor = 24 * 60 * 60_000;

const key = 'pp.siteConfig';
const empty: SiteConfig = {
  title: config.siteTitle,
  faviconUrl: config.faviconUrl,
  footerMarkdown: '',
  announcementEnabled: false,
  announcement: '',
  customHead: '',
  customBody: '',
};

interface Cached {
  at: number;
  site: SiteConfig;
}

function cached(): Cached | undefined {
  return readStoredJson(key, (value): value is Cached => {
    if (typeof value !== 'object' || value === null) return false;
    const { at, site } = value as Partial<Cached>;
    return typeof at === 'number' && typeof site === 'object' && site !== null && isSite(site);
  });
}

const isSite = (value: object): value is SiteConfig =>
  Object.entries(empty).every(
    ([name, sample]) => typeof (value as Record<string, unknown>)[name] === typeof sample,
  );

// What the server wrote into the page is newer than the copy on this device.
const state = makeStore<SiteConfig>({
  ...empty,
  ...cached()?.site,
  ...(config.siteTitle && { title: config.siteTitle }),
  ...(config.faviconUrl && { faviconUrl: config.faviconUrl }),
});

function show(next: SiteConfig): void {
  applyFavicon(next.faviconUrl);
  state.set(next);
}

/** applyFavicon points the page's icon to the configured address (http, https or a data URL), else to the product's. */
function applyFavicon(url: string): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon) icon.href = /^(https?:|data:image\/)/i.test(url) ? url : `${config.basePath}/icon.svg`;
}

/**
 * startSite shows the copy on this device and fetches the site config when that is older than a day. It follows
 * what another tab has fetched.
 */
export async function startSite(): Promise<void> {
  const kept = cached();
  show(siteConfig());
  addEventListener('storage', (event) => {
    const site = event.key === key ? cached()?.site : undefined;
    if (site) show(site);
  });
  if (kept && Date.now() - kept.at < cachedFor && kept.at <= Date.now()) return;
  await reloadSite().catch(() => undefined);
}

/** reloadSite fetches the site config whatever is on this device. */
export async function reloadSite(): Promise<void> {
  const { readSettings } = await import('../api/settings');
  const rows = await readSettings(4);
  const text = (name: string) => rows.get(name) ?? '';
  const site: SiteConfig = {
    title: text('site_title'),
    faviconUrl: text('site_favicon_url'),
    footerMarkdown: text('site_footer_markdown'),
    announcementEnabled: text('site_announcement_enabled') === 'true',
    announcement: text('site_announcement_content'),
    customHead: text('site_custom_head'),
    customBody: text('site_custom_body'),
  };
  writeStored(key, JSON.stringify({ at: Date.now(), site } satisfies Cached));
  show(site);
}

export const siteConfig = state.get;

export const useSite = (): SiteConfig => useStore(state);
