import { ApiError, isQueued, newIdempotencyKey } from '../../api/client';
import { createPaste, peekPaste } from '../../api/pastes';
import type { PasteDraft } from '../../api/types';
import { pageUrl } from '../../config';
import { copyText } from '../../shared/clipboard';
import { tellQueued } from '../../shared/offline/tellError';
import type { Translate } from '../../i18n';
import { expiresAt, maxViewsOf, type ShareValues } from '../../shared/shareform';
import { saveTelling } from '../../shared/shareform/saveTelling';
import { latchOf } from '../../shared/visits/latch';
import { detectSyntax } from './detectSyntax';
import { madeShare, type MadeShare } from './shares';

interface Text {
  content: string;
  markdown: boolean;
}

interface Try {
  /** asked is what was asked for; the body says it with a time of its own. */
  asked: string;
  body: PasteDraft;
  key: string;
}

let lastTry: Try | undefined;

interface Shared {
  share: MadeShare;
  copied: boolean;
  /** told is whether its owner is told when it is opened; only where that was asked for. */
  told?: Promise<boolean>;
}

/** shareText makes a paste and puts its link on the clipboard where the browser allows that. */
export async function shareText(text: Text, values: ShareValues, t: Translate): Promise<Shared> {
  const body: PasteDraft = {
    content: text.content,
    syntax: values.syntax || detectSyntax(text.content, text.markdown),
    expiresAt: expiresAt(values, new Date())?.toISOString() ?? null,
    maxViews: maxViewsOf(values),
    ...latchOf(values),
    ...(values.slug.trim() && { slug: values.slug.trim() }),
    ...(values.remark.trim() && { remark: values.remark.trim() }),
    ...(values.password && { password: values.password }),
  };
  const attempt = tryOf(body, values);
  const answer = await createPaste(attempt.body, attempt.key, values.tell);
  lastTry = undefined;
  const share = madeShare(answer, values.password);
  const copied = await copyText(pageUrl(`/paste/${share.slug}`));
  return { share, copied, ...(values.tell && { told: saveTelling(answer.id, true, t) }) };
}

/** The same text sent again after a lost answer is the same request with the same key, so that it is not shared twice. */
function tryOf(body: PasteDraft, { expiry, expiryAt }: ShareValues): Try {
  const asked = JSON.stringify({ ...body, expiresAt: [expiry, expiryAt] });
  if (lastTry?.asked !== asked) lastTry = { asked, body, key: newIdempotencyKey() };
  return lastTry;
}

/** Refusal is what a failed try means for the page. */
interface Refusal {
  /** queued means that it waits on this device until the network is back; that has been said then. */
  queued: boolean;
  /** offline means that no answer came, so that the same try can be repeated. */
  offline: boolean;
  /** slug is the message key of what is wrong with the custom link; "" when it is something else. */
  slug: string;
}

/** refusalOf reads why a share was not made. */
export function refusalOf(error: unknown, t: Translate): Refusal {
  if (isQueued(error)) {
    tellQueued(t);
    return { queued: true, offline: false, slug: '' };
  }
  const other = { queued: false, offline: false, slug: '' };
  const known = error instanceof ApiError ? error : undefined;
  if (!known || known.failure) return { ...other, offline: known?.failure === 'network' };
  // A key is good for one answer; after a refusal the next try is a new one.
  lastTry = undefined;
  if (!known.code.startsWith('slug_') && known.status !== 409) return other;
  const field = { slug_reserved: 'slugReserved', slug_invalid: 'slugRule' }[known.code] ?? 'slugTaken';
  return { ...other, slug: `share.errors.${field}` };
}

/** isTaken asks whether a custom link is in use, which used-up ones are for a while. */
export const isTaken = (slug: string, signal: AbortSignal): Promise<boolean> =>
  peekPaste(slug, signal).then(
    () => true,
    (error: unknown) => error instanceof ApiError && error.status === 410,
  );
