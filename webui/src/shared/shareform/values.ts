import { siteRules } from '../rules';
import { daysWrong, openLatch, type Latch } from '../visits/latch';

/** What the share form holds, as typed. */
export interface ShareValues extends Latch {
  remark: string;
  slug: string;
  password: string;
  expiry: Expiry;
  /** expiryAt is the local date and time of a datetime-local input, for the choice "custom". */
  expiryAt: string;
  /** maxViews as typed; "" and "0" are unlimited. */
  maxViews: string;
  /** tell has the owner told when it is opened. */
  tell: boolean;
  /** syntax is "markdown", "text" or the name of a language; "" is found out from the text. */
  syntax: string;
}

/** Expiry is a preset, or what this site starts with and allows at most where no preset is the same. */
export type Expiry = 'hour' | 'day' | 'week' | 'month' | 'never' | 'custom' | 'usual' | 'longest';

/** Hours of the presets (§5). */
const presetHours: Partial<Record<Expiry, number>> = {
  hour: 1,
  day: 24,
  week: 7 * 24,
  month: 30 * 24,
};

/** hoursOf is how long a choice lets a share live; 0 for ever, undefined for a time of one's own. */
export function hoursOf(expiry: Expiry): number | undefined {
  if (expiry === 'never') return 0;
  if (expiry === 'usual') return siteRules().defaultHours;
  return expiry === 'longest' ? siteRules().maxHours : presetHours[expiry];
}

/** expiryChoices are those that this site allows, shortest first. */
export function expiryChoices(): Expiry[] {
  const { defaultHours, maxHours } = siteRules();
  const choices = (Object.keys(presetHours) as Expiry[]).filter(
    (preset) => maxHours === 0 || (hoursOf(preset) ?? 0) <= maxHours,
  );
  for (const own of ['usual', 'longest'] as const) {
    const hours = own === 'usual' ? defaultHours : maxHours;
    if (hours > 0 && !choices.some((choice) => hoursOf(choice) === hours)) choices.push(own);
  }
  choices.sort((a, b) => (hoursOf(a) ?? 0) - (hoursOf(b) ?? 0));
  return maxHours > 0 ? [...choices, 'custom'] : [...choices, 'never', 'custom'];
}

/** freshShare is what an empty form starts with on this site. */
export function freshShare(): ShareValues {
  const { defaultHours, maxViews } = siteRules();
  const expiry = expiryChoices().find((choice) => hoursOf(choice) === defaultHours) ?? 'never';
  return { ...emptyShare, expiry, maxViews: maxViews > 0 ? String(maxViews) : '' };
}

export const emptyShare: ShareValues = {
  remark: '',
  slug: '',
  password: '',
  expiry: 'never',
  expiryAt: '',
  maxViews: '',
  syntax: '',
  tell: false,
  ...openLatch,
};

export type ShareField = keyof ShareValues;

/** Message keys of what is wrong, by field. */
export type ShareProblems = Partial<Record<ShareField, string>>;

/** Most characters of a slug and of a remark (§5). */
export const slugLength = 50;
export const remarkLength = 200;

// The server's list of names that are addresses of its own.
const reserved = new Set(
  (
    'admin api assets batch-delete clear-expired dav favicon file file-download file-view files fs index login ' +
    'logout manifest mount-explorer office-preview p paste pastes public raw robots s3 static sw system upload ' +
    'upload-direct url webdav well-known'
  ).split(' '),
);

/** slugProblem answers the message key of what is wrong with a custom link; undefined when it may be sent. */
export function slugProblem(slug: string): string | undefined {
  if (slug === '') return undefined;
  if (!/^[A-Za-z0-9_-]+$/.test(slug)) return 'share.errors.slugRule';
  if (slug.length > slugLength) return 'share.errors.slugLength';
  return reserved.has(slug.toLowerCase()) ? 'share.errors.slugReserved' : undefined;
}

/** shareProblems checks the whole form against §5 and against what this site allows. */
export function shareProblems(values: ShareValues, now: Date): ShareProblems {
  const rules = siteRules();
  const problems: ShareProblems = {};
  const slug = slugProblem(values.slug.trim());
  if (slug) problems.slug = slug;
  if ([...values.remark].length > remarkLength) problems.remark = 'share.errors.remarkLength';
  if (values.maxViews.trim() !== '' && !/^\d{1,9}$/.test(values.maxViews.trim())) {
    problems.maxViews = 'share.errors.maxViews';
  } else if (rules.maxViews > 0 && !(maxViewsOf(values) > 0 && maxViewsOf(values) <= rules.maxViews)) {
    problems.maxViews = 'share.errors.viewsOver';
  }
  if (values.expiry === 'custom' && !(new Date(values.expiryAt).getTime() > now.getTime())) {
    problems.expiryAt = 'share.errors.expiryPast';
  }
  const end = expiresAt(values, now)?.getTime() ?? Infinity;
  if (rules.maxHours > 0 && end > now.getTime() + rules.maxHours * hour) {
    problems[values.expiry === 'custom' ? 'expiryAt' : 'expiry'] = 'share.errors.expiryOver';
  }
  if (daysWrong(values)) problems.days = 'visits.access.daysWrong';
  if (rules.password && values.password === '') problems.password = 'share.errors.passwordNeeded';
  return problems;
}

const hour = 3_600_000;

/** expiresAt is the end of the share; null for never. */
export function expiresAt(values: ShareValues, now: Date): Date | null {
  const hours = hoursOf(values.expiry);
  if (hours === undefined) return new Date(values.expiryAt);
  return hours === 0 ? null : new Date(now.getTime() + hours * hour);
}

/** expiresInHours is the same in whole hours, rounded up, as the upload calls want it; 0 for never. */
export function expiresInHours(values: ShareValues, now: Date): number {
  const end = expiresAt(values, now);
  return end ? Math.max(1, Math.ceil((end.getTime() - now.getTime()) / hour)) : 0;
}

/** maxViewsOf is the limit as a number; 0 is unlimited. */
export const maxViewsOf = ({ maxViews }: Pick<ShareValues, 'maxViews'>): number =>
  Number(maxViews.trim() || 0);

/** randomText draws characters without bias, without needing a secure context. */
function randomText(length: number, alphabet: string): string {
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

// Without characters that look alike when read out.
const readable = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const slugAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export const generatePassword = () => randomText(16, readable);

/** generateSlug makes a link that cannot be guessed: 26 characters. */
export const generateSlug = () => randomText(26, slugAlphabet);
