import { ownPrefix, readStoredJson, writeStored } from '../../config';
import type { ShareValues } from '../../shared/shareform';

export type EditorMode = 'plain' | 'markdown';

/** A text that was being written on this device. */
export interface Draft {
  id: string;
  /** text as far as local storage holds it: of a long one only the beginning, see textOf. */
  text: string;
  /** long is the number of UTF-16 units of a text that lies in the database; absent for all others. */
  long?: number;
  mode: EditorMode;
  /** form holds the share form without the password. */
  form: Omit<ShareValues, 'password'>;
  /** savedAt in milliseconds since 1970. */
  savedAt: number;
  /** archived drafts were shared or put aside; only the list of recent drafts shows them. */
  archived: boolean;
}

const key = `${ownPrefix}drafts`;
// Longer texts, in UTF-16 units, lie in the database: local storage holds five million for everything together.
const longFrom = 200_000;
// What the list of drafts shows comes out of so many.
const shownOf = 2000;
const loadTexts = () => import('./draftTexts');

const tabKey = 'pp.draftId';
/** How many archived drafts are kept. */
export const keptDrafts = 10;

const isDraft = (value: unknown): value is Draft => {
  if (typeof value !== 'object' || value === null) return false;
  const draft = value as Partial<Draft>;
  return (
    typeof draft.id === 'string' &&
    typeof draft.text === 'string' &&
    (draft.mode === 'plain' || draft.mode === 'markdown') &&
    typeof draft.form === 'object' &&
    draft.form !== null &&
    typeof draft.savedAt === 'number' &&
    typeof draft.archived === 'boolean'
  );
};

/** readDrafts gives all drafts of this device, newest first. */
export function readDrafts(): Draft[] {
  const list = readStoredJson(key, Array.isArray) as unknown[] | undefined;
  return (list ?? []).filter(isDraft).sort((a, b) => b.savedAt - a.savedAt);
}

function writeDrafts(list: Draft[]): boolean {
  const archived = list.filter((draft) => draft.archived).slice(0, keptDrafts);
  const open = list.filter((draft) => !draft.archived).slice(0, keptDrafts);
  return writeStored(key, open.length + archived.length ? JSON.stringify([...open, ...archived]) : '');
}

/**
 * saveDraft stores one draft beside those of other tabs; an empty text removes it. Reports whether it fitted:
 * when it does not, archived drafts make room first.
 */
export function saveDraft(draft: Draft): boolean {
  const others = readDrafts().filter((other) => other.id !== draft.id);
  const list = draft.text === '' ? others : [draft, ...others];
  return writeDrafts(list) || writeDrafts(list.filter((other) => !other.archived));
}

export const isLong = (text: string): boolean => text.length >= longFrom;

/** keepDraft is saveDraft for texts of any length; a long one takes a moment. */
export function keepDraft(draft: Draft): boolean | Promise<boolean> {
  const whole = { ...draft };
  delete whole.long;
  if (!isLong(draft.text)) {
    const had = hasLong();
    const kept = saveDraft(whole);
    if (had) sweepTexts();
    return kept;
  }
  const note = { ...whole, text: draft.text.slice(0, shownOf), long: draft.text.length };
  return loadTexts()
    .then((texts) => texts.keep(draft.id, draft.text))
    .then(
      () => saveDraft(note),
      () => saveDraft(whole),
    );
}

/** textOf is the whole text of a draft. Rejects when the browser has dropped it. */
export const textOf = async ({ id, text, long }: Draft): Promise<string> =>
  long === undefined ? text : (await loadTexts()).read(id);

const sweepTexts = () =>
  void loadTexts()
    .then((texts) => texts.sweep(longOnes()))
    .catch(() => undefined);

/** longOnes names the drafts whose text lies in the database. */
const longOnes = () => new Set(readDrafts().flatMap(({ id, long }) => (long === undefined ? [] : [id])));

const hasLong = () => longOnes().size > 0;

/** removeDraft forgets one draft. */
export function removeDraft(id: string): boolean {
  const had = hasLong();
  const written = writeDrafts(readDrafts().filter((draft) => draft.id !== id));
  if (had) sweepTexts();
  return written;
}

/** tabDraftId is the id of this tab's draft, kept over reloads; "" in a new tab. */
export function tabDraftId(): string {
  try {
    return sessionStorage.getItem(tabKey) ?? '';
  } catch {
    return '';
  }
}

/** newDraftId gives the tab a new draft and answers its id. */
export function newDraftId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return holdDraft([...bytes].map((byte) => byte.toString(36).padStart(2, '0')).join(''));
}

/** holdDraft makes an existing draft the tab's own. */
export function holdDraft(id: string): string {
  try {
    sessionStorage.setItem(tabKey, id);
  } catch {
    // Without session storage a reload starts a draft of its own.
  }
  return id;
}

/**
 * unheldDraft answers the newest open draft that no other tab is working on, for a tab that has none. Tabs are
 * asked over a channel and have 150 ms to claim theirs.
 */
export async function unheldDraft(): Promise<Draft | undefined> {
  const open = readDrafts().filter((draft) => !draft.archived && draft.text !== '');
  if (open.length === 0 || typeof BroadcastChannel !== 'function') return open[0];
  const held = new Set<string>();
  const channel = new BroadcastChannel(key);
  channel.onmessage = ({ data }: MessageEvent<{ held?: string }>) => {
    if (data.held) held.add(data.held);
  };
  channel.postMessage({ ask: true });
  await new Promise((done) => setTimeout(done, 150));
  channel.close();
  return open.find((draft) => !held.has(draft.id));
}

/** claimDraft answers other tabs' questions with the id of this tab's draft. The result ends it. */
export function claimDraft(id: () => string): () => void {
  if (typeof BroadcastChannel !== 'function') return () => undefined;
  const channel = new BroadcastChannel(key);
  channel.onmessage = ({ data }: MessageEvent<{ ask?: boolean }>) => {
    if (data.ask) channel.postMessage({ held: id() });
  };
  return () => channel.close();
}

/** onOtherTabSaved reports when another tab has written a draft. The result ends it. */
export function onOtherTabSaved(report: () => void): () => void {
  const listener = (event: StorageEvent) => {
    if (event.key === key && event.newValue) report();
  };
  addEventListener('storage', listener);
  return () => removeEventListener('storage', listener);
}

/** firstLine is what the list shows of a draft. */
export const firstLine = (text: string): string =>
  text
    .split('\n', 50)
    .map((line) => line.replace(/^[#>\s*-]+/, '').trim())
    .find((line) => line !== '')
    ?.slice(0, 80) ?? '';
