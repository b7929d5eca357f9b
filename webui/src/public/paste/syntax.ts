import { parseLines } from '../../shared/preview/lines';

/** The forms a paste can be shown in. */
export type View = 'preview' | 'text' | 'code';

/** A text longer than this is rendered as Markdown only on demand, in characters. */
export const longestRendered = 2_000_000;

// Each of these is seldom in a text that is not Markdown.
const strong = [
  /^#{1,6} \S/m,
  /^(?:```|~~~)/m,
  /^\|?[ :]*-{3,}[ :]*\|/m,
  /!?\[[^\]\n]+\]\((?:https?:|mailto:|\/|#|data:image\/)[^)\n]*\)/,
  /^\[\^?[^\]\n]+\]: \S/m,
];

// Two of these together are.
const weak = [
  /^[-*+] (?:\[[ x]\] )?\S/m,
  /^\d+\. \S/m,
  /^> \S/m,
  /\*\*\S[^\n]*?\S\*\*/,
  /`[^`\n]+`/,
  /~~\S[^\n]*~~/,
];

/** looksLikeMarkdown guesses from the first part of a text of which nobody said what it is. */
export function looksLikeMarkdown(text: string): boolean {
  const start = text.slice(0, 20_000);
  if (strong.some((mark) => mark.test(start))) return true;
  return weak.filter((mark) => mark.test(start)).length >= 2;
}

/** firstView is the form a paste opens in: the stored syntax decides, else its looks. */
export function firstView(syntax: string | null | undefined, text: string): View {
  if (syntax === 'text' || syntax === 'plain') return 'text';
  if (syntax && syntax !== 'markdown') return 'code';
  if (text.length > longestRendered) return 'text';
  return syntax === 'markdown' || looksLikeMarkdown(text) ? 'preview' : 'text';
}

const viewKey = (slug: string) => `pp.view.${slug}`;

/** openingView is the form that a paste opens in here: an address with line numbers shows the code, else what the tab remembers. */
export function openingView(slug: string, syntax: string | null | undefined, text: string): View {
  if (parseLines(location.hash)) return 'code';
  let kept: string | null = null;
  try {
    kept = sessionStorage.getItem(viewKey(slug));
  } catch {
    // Nothing is remembered, then.
  }
  return kept === 'preview' || kept === 'text' || kept === 'code' ? kept : firstView(syntax, text);
}

/** rememberView lets the tab remember the chosen form of a paste. */
export function rememberView(slug: string, view: View): void {
  try {
    sessionStorage.setItem(viewKey(slug), view);
  } catch {
    // Not remembered, then.
  }
}
