import {
  emptyShare,
  expiresAt,
  maxViewsOf,
  shareProblems,
  type Expiry,
  type ShareField,
  type ShareProblems,
} from './values';

/** What a share has now. */
export interface Terms {
  slug: string;
  remark: string;
  expiresAt: string | null;
  /** maxViews; 0 is unlimited. */
  maxViews: number;
  hasPassword: boolean;
}

export type PasswordMode = 'keep' | 'set' | 'remove';

/** What the edit form holds, as typed; the first values keep everything as it is. */
export interface TermValues {
  slug: string;
  remark: string;
  expiry: 'keep' | Expiry;
  expiryAt: string;
  maxViews: string;
  passwordMode: PasswordMode;
  password: string;
}

/** What is to be changed; absent fields stay as they are. */
export interface TermChanges {
  slug?: string;
  remark?: string;
  expiresAt?: Date | null;
  maxViews?: number;
  /** password; "" removes it. */
  password?: string;
}

export const keepAll = (terms: Terms): TermValues => ({
  slug: terms.slug,
  remark: terms.remark,
  expiry: 'keep',
  expiryAt: '',
  maxViews: terms.maxViews > 0 ? String(terms.maxViews) : '',
  passwordMode: 'keep',
  password: '',
});

/** termProblems checks the form against §5; a field that is kept is not checked again. */
export function termProblems(values: TermValues, terms: Terms, now: Date): ShareProblems {
  const { expiry } = values;
  const found = shareProblems(
    { ...emptyShare, ...values, expiry: expiry === 'keep' ? 'never' : expiry },
    now,
  );
  const kept: ShareField[] = [];
  if (values.slug === terms.slug) kept.push('slug');
  if (values.remark === terms.remark) kept.push('remark');
  if (expiry === 'keep') kept.push('expiry');
  if (maxViewsOf(values) === terms.maxViews) kept.push('maxViews');
  if (values.passwordMode !== 'set') kept.push('password');
  for (const field of kept) delete found[field];
  if (values.passwordMode === 'set' && !values.password) found.password = 'shareEdit.passwordMissing';
  return found;
}

/** termChanges answers only what differs from the share as it is. */
export function termChanges(values: TermValues, terms: Terms, now: Date): TermChanges {
  const changes: TermChanges = {};
  if (values.slug.trim() !== terms.slug) changes.slug = values.slug.trim();
  if (values.remark.trim() !== terms.remark.trim()) changes.remark = values.remark.trim();
  const share = { ...emptyShare, ...values };
  if (values.expiry !== 'keep') changes.expiresAt = expiresAt({ ...share, expiry: values.expiry }, now);
  const views = maxViewsOf(values);
  if (views !== terms.maxViews) changes.maxViews = views;
  if (values.passwordMode === 'set') changes.password = values.password;
  if (values.passwordMode === 'remove') changes.password = '';
  return changes;
}
