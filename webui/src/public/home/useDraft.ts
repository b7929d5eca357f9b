import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { useListener } from '../../hooks/useListener';
import { authEvents } from '../../api/credentials';
import { reasonToStay } from '../../shared/unsaved';
import { freshShare, shareProblems, type ShareValues } from '../../shared/shareform';
import {
  claimDraft,
  holdDraft,
  isLong,
  keepDraft,
  newDraftId,
  onOtherTabSaved,
  readDrafts,
  removeDraft,
  tabDraftId,
  textOf,
  unheldDraft,
  type Draft,
  type EditorMode,
} from './drafts';

/** loadGuard loads what asks: a text may be more than this device can keep from its first moment on. */
const loadGuard = () => void import('../../shared/useLeaveGuard').catch(() => undefined);

/** Milliseconds after the last change until the draft is saved. */
const saveDelay = 1000;

type DraftState = 'idle' | 'saved' | 'tooLarge';

interface Written {
  text: string;
  mode: EditorMode;
  form: ShareValues;
}

interface Options {
  written: Written;
  /** current is the text as it stands in the editor, which may be newer than what is written. */
  current: () => string;
  /** restore puts a draft into the editor. */
  restore: (draft: Draft) => void;
  /** takeOver puts a text that another page left into the editor; false when there is none. */
  takeOver: () => boolean;
  onOtherTab: () => void;
  /** onLost tells that the browser has dropped the text of a draft. */
  onLost: () => void;
  /** onRisk loads what asks whether a text that cannot be kept may be left. */
  onRisk: () => Promise<() => Promise<boolean>>;
}

/** useDraft keeps what is being written on this device and brings it back at the next start. */
export function useDraft({ written, current, restore, takeOver, onOtherTab, onLost, onRisk }: Options) {
  const [last, setLast] = useState<{ state: DraftState; of?: Written }>({ state: 'idle' });
  // What was written since is not saved; what did not fit stays too large until it is tried again.
  const state = last.state === 'saved' && last.of !== written ? 'idle' : last.state;
  const [recent, setRecent] = useState<Draft[]>([]);
  const id = useRef('');
  const latest = useRef(written);
  // Whether something was written that is not stored yet.
  const unsaved = useRef(false);
  // How many long texts are on their way to the database.
  const saving = useRef(0);
  // Whether what was saved last fits.
  const lastKept = useRef<boolean | Promise<boolean>>(true);
  const restoreNow = useEffectEvent(restore);
  const reportLost = useEffectEvent(onLost);
  const reportOther = useEffectEvent(onOtherTab);

  useEffect(() => {
    latest.current = written;
  });

  const listRecent = () => setRecent(readDrafts().filter((draft) => draft.id !== id.current && draft.text));

  function draftOf({ text, mode, form }: Written, archived: boolean): Draft {
    const kept: Draft['form'] & { password?: string } = { ...form };
    delete kept.password;
    return { id: id.current, text, mode, form: kept, savedAt: Date.now(), archived };
  }

  /** save answers whether it fits; undefined when that is not known yet. */
  function save(archived = false) {
    const of = latest.current;
    latest.current = { ...of, text: current() };
    unsaved.current = false;
    if (!id.current) id.current = newDraftId();
    const draft = draftOf(latest.current, archived);
    const kept = keepDraft(draft);
    lastKept.current = kept;
    // A short one is kept at once.
    if (kept !== true) void onRisk().catch(() => undefined);
    const show = (fits: boolean) => setLast({ state: fits ? 'saved' : 'tooLarge', of });
    if (typeof kept === 'boolean') {
      show(kept);
      return kept;
    }
    saving.current += 1;
    void kept.then((fits) => {
      saving.current -= 1;
      if (id.current === draft.id) show(fits);
      listRecent();
    });
    return undefined;
  }

  const bringBack = (draft: Draft, put: (draft: Draft) => void, lost: () => void) =>
    textOf(draft).then((whole) => put({ ...draft, text: whole }), lost);

  const start = useEffectEvent(async (gone: AbortSignal) => {
    if (takeOver()) {
      id.current = newDraftId();
      listRecent();
      return;
    }
    // In development effects run twice; what was begun by the first run stays.
    if (id.current) return;
    const own = tabDraftId();
    const draft = own
      ? readDrafts().find((entry) => entry.id === own && !entry.archived)
      : await unheldDraft();
    if (gone.aborted) return;
    id.current = draft ? holdDraft(draft.id) : newDraftId();
    listRecent();
    // What was typed while the other tabs were asked is newer than any draft.
    const put = (whole: Draft) => {
      if (!gone.aborted && current() === '') restoreNow(whole);
    };
    if (draft?.text) void bringBack(draft, put, () => reportLost());
  });

  useEffect(() => {
    const gone = new AbortController();
    void start(gone.signal);
    const endClaim = claimDraft(() => id.current);
    const endReports = onOtherTabSaved(() => reportOther());
    return () => {
      gone.abort();
      endClaim();
      endReports();
    };
  }, []);

  const { text, mode, form } = written;
  const first = useRef(true);
  const isUnsaved = () => unsaved.current || current() !== latest.current.text;
  const saveNow = useEffectEvent(() => {
    if (isUnsaved()) save();
  });
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    if (!unsaved.current) loadGuard();
    unsaved.current = true;
    const timer = setTimeout(saveNow, saveDelay);
    return () => clearTimeout(timer);
  }, [text, mode, form]);
  // When another page takes the place of this one; the editor is still there at that moment.
  useLayoutEffect(() => () => saveNow(), []);

  // After signing out, what is on the screen stays there but is not stored until it is changed again.
  useListener(authEvents.signedOut, () => {
    unsaved.current = false;
    setLast({ state: 'idle' });
    listRecent();
  });
  useListener('pagehide', () => isUnsaved() && save());
  // What does not fit, or takes longer than a page has that goes.
  const holds = useEffectEvent(() => {
    if (state === 'tooLarge' || saving.current > 0) return true;
    // Whether a short one fits is known as soon as it is tried.
    return isUnsaved() && (isLong(current()) || save() === false);
  });
  // Another page of the app leaves the time to save it: only what does not fit is lost.
  const mayLeave = useEffectEvent(async () => {
    if (isUnsaved() || state === 'tooLarge') save();
    return (await lastKept.current) || (await onRisk())();
  });
  useEffect(() => reasonToStay({ holds: () => holds(), mayLeave: () => mayLeave() }), []);

  return {
    state,
    recent,
    /** saveNow does not wait for a pause. */
    saveNow: () => save(),
    /** archive puts the draft into the list of recent ones; what is typed next is a new draft. */
    archive() {
      if (current() !== '') save(true);
      id.current = newDraftId();
      setLast({ state: 'idle' });
      listRecent();
    },
    /** take makes a draft of the list the one being written; the present one is put aside. */
    take(draft: Draft) {
      const put = (whole: Draft) => {
        if (current() !== '') save(true);
        id.current = holdDraft(draft.id);
        void keepDraft({ ...whole, archived: false });
        listRecent();
        restore(whole);
      };
      void bringBack(draft, put, onLost);
    },
    forget(draft: Draft) {
      removeDraft(draft.id);
      listRecent();
    },
  };
}

/** formOf is the share form of a draft, as far as the site allows it now; its password was never kept. */
export function formOf({ form }: Draft): ShareValues {
  const fresh = freshShare();
  const kept = { ...fresh, ...form, password: '' };
  const { expiry, expiryAt, maxViews } = shareProblems(kept, new Date());
  if (expiry || expiryAt) Object.assign(kept, { expiry: fresh.expiry, expiryAt: '' });
  return maxViews || kept.maxViews === '0' ? { ...kept, maxViews: fresh.maxViews } : kept;
}
