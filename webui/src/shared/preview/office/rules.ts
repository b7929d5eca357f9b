import { readSettings } from '../../../api/settings';
import { readStored, writeStored } from '../../../config';
import { extensionOf } from '../kind';

/** Whose viewer shows an office document: this page, a company's, or the one that the site names. */
export type Viewer = 'page' | 'microsoft' | 'google' | 'site';

/** OfficeRules are what the administrator allows. */
export interface OfficeRules {
  viewers: readonly Viewer[];
  /** Address of the site's own viewer, with {url} in the place of the file's; "" when there is none. */
  template: string;
}

/** Preview settings (§9). */
const previewGroup = 2;

/** officeRules reads what the administrator allows; both companies' viewers where nothing is said. */
export async function officeRules(signal?: AbortSignal): Promise<OfficeRules> {
  const settings = await readSettings(previewGroup, signal);
  const named = settings.get('preview_office_viewers') ?? 'microsoft,google';
  const template = settings.get('preview_office_viewer_url') ?? '';
  const companies = (['microsoft', 'google'] as const).filter((viewer) => named.split(',').includes(viewer));
  return { viewers: [...(template ? (['site'] as const) : []), ...companies], template };
}

/** viewerUrl is the address of a foreign viewer that shows the file at `file`. */
export function viewerUrl(viewer: Exclude<Viewer, 'page'>, file: string, template: string): string {
  const encoded = encodeURIComponent(file);
  if (viewer === 'microsoft') return `https://view.officeapps.live.com/op/view.aspx?src=${encoded}`;
  if (viewer === 'google') return `https://docs.google.com/viewer?url=${encoded}&embedded=true`;
  return template.replace('{url}', () => encoded);
}

/** isOutside says whether a company's viewer could fetch an address at all. */
export function isOutside(address: string): boolean {
  const { hostname, protocol } = new URL(address);
  if (!/^https?:$/.test(protocol)) return false;
  const host = hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '');
  if (host.includes(':')) return !/^(::1?$|f[cd]|fe[89ab]|::ffff:)/.test(host);
  const numbers = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host);
  if (!numbers) return host.includes('.') && !/\.(localhost|local|lan|internal|home\.arpa)$/.test(host);
  const [a, b] = [Number(numbers[1]), Number(numbers[2])];
  const inside =
    a === 0 ||
    a === 10 ||
    a === 127 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168);
  return !inside;
}

/** Largest document that this page shows by itself, in bytes. */
export const longestOwn = 20 << 20;

/** ownKind is what this page can show of a document by itself. */
export function ownKind(file: { filename: string; size: number }): 'docx' | 'xlsx' | undefined {
  const extension = extensionOf(file.filename);
  return file.size <= longestOwn && (extension === 'docx' || extension === 'xlsx') ? extension : undefined;
}

const families = {
  word: 'doc docx odt rtf',
  sheet: 'xls xlsx ods',
  slides: 'ppt pptx odp',
} as const;

/** familyOf says what kind of document it is. */
export function familyOf(filename: string): keyof typeof families | 'other' {
  const extension = extensionOf(filename);
  const found = (['word', 'sheet', 'slides'] as const).find((name) =>
    families[name].split(' ').includes(extension),
  );
  return found ?? 'other';
}

const consentKey = 'pp.officeConsent';

/** hasConsent says whether the reader has agreed on this device that files' addresses go to other companies. */
export const hasConsent = () => readStored(consentKey) === 'yes';
export const giveConsent = () => writeStored(consentKey, 'yes');
