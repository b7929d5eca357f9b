/** What the server writes into the page for the scripts. */
interface AppConfig {
  /** basePath is the folder the app lives under, without a slash at the end; "" at the root. */
  basePath: string;
  /** apiBase is what every call's path is appended to, "/api" included; relative to the origin or absolute. */
  apiBase: string;
  /** ownApiBase is apiBase as the server gave it, whatever back end was chosen on this device. */
  ownApiBase: string;
  version: string;
  siteTitle: string;
  faviconUrl: string;
  /** logoUrl is where the site's own logo lies; "" without one. */
  logoUrl: string;
  /** customCode says that the administrator's own HTML stands in public pages. */
  customCode: boolean;
  /** sourceUrl is where the product's source lies; the header links to it when it is set. */
  sourceUrl: string;
  /** tracing says that the server records traces, so that an upload names its own. */
  tracing: boolean;
  /** openShare is the share the page was written for, such as "paste/abc", when anybody may open it; else "". */
  openShare: string;
  /** accent is the site's own colour, which the page wears already; only the panel's theme asks for it. */
  accent: unknown;
  /** rules are the administrator's decisions for the pages, see shared/rules.ts. */
  rules: Record<string, unknown>;
}

/** apiBaseKey names the back end that an administrator chose on this device (see shell/extras). */
export const apiBaseKey = 'pp.apiBase';

function read(): AppConfig {
  const given = parse(document.getElementById('pp-config')?.textContent ?? '');
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : '');
  const basePath = text('basePath').replace(/\/+$/, '');
  const ownApiBase = text('apiBase') || `${basePath}/api`;
  // The way back for whoever has chosen a back end that does not answer.
  if (/[?&]showEnvSwitcher=default\b/.test(location.search)) writeStored(apiBaseKey, '');
  const apiBase = readStored(apiBaseKey) || ownApiBase;
  return {
    basePath,
    apiBase,
    ownApiBase,
    version: text('version') || __APP_VERSION__,
    siteTitle: text('siteTitle'),
    faviconUrl: text('faviconUrl'),
    logoUrl: text('logoUrl'),
    customCode: given.customCode === true,
    tracing: given.tracing === true,
    // Another back end may protect what this one does not.
    openShare: apiBase === ownApiBase ? text('openShare') : '',
    rules: typeof given.rules === 'object' ? { ...given.rules } : {},
    accent: given.accent,
    sourceUrl: /^https?:/.test(text('sourceUrl')) ? text('sourceUrl') : '',
  };
}

function parse(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** readStored reads a text from local storage; "" when it is absent or the store is blocked. */
export function readStored(key: string): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

/** readStoredJson reads a JSON value that passes the check; undefined for anything else. */
export function readStoredJson<T>(key: string, valid: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = JSON.parse(readStored(key));
    return valid(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** writeStored saves a text, or removes it when the text is empty. Reports whether the store took it. */
export function writeStored(key: string, value: string): boolean {
  try {
    if (value) localStorage.setItem(key, value);
    else localStorage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}

/** ownPrefix begins the names of what a person wrote on this device; signing out removes all of it. */
export const ownPrefix = 'pp.own.';

/** draftTexts is the database with texts of drafts that are too long for local storage; signing out removes it, too. */
export const draftTexts = `${ownPrefix}draftTexts`;

export const config: AppConfig = read();

/** cspNonce is what styles and scripts need to be heeded here. */
export const cspNonce = (): string =>
  document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** pageUrl is the absolute address of a page of this app, for links that people share. */
export function pageUrl(path: string): string {
  return new URL(config.basePath + path, location.origin).href;
}
