import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { authEvents } from '../../auth/credentials';
import { freshShare, shareProblems, type ShareValues } from '../../shared/shareform';
import {
  claimDraft,
  holdDraft,
  newDraftId,
  onOtherTabSaved,
  readDrafts,
  removeDraft,
  saveDraft,
  tabDraftId,
  unheldDraft,
  type Draft,
  type EditorMode,
} from './drafts';

/** Milliseconds after the last change until the draft is saved. */
const saveDelay = 1000;

export type DraftState = 'idle' | 'saved' | 'tooLarge';

interface Written {
  text: string;
  mode: EditorMode;
  form: ShareValues;
}

interface Options {
  written: Written;
  /** restore puts a draft into the editor. */
  restore: (draft: Draft) => void;
  /** takeOver puts a text that another page left into the editor; false when there is none. */
  takeOver: () => boolean;
  onOtherTab: () => void;
}

/** useDraft keeps what is being written on this device and brings it back at the next start. */
export function useDraft({ written, restore, takeOver, onOtherTab }: Options) {
  const [state, setState] = useState<DraftState>('idle');
  const [recent, setRecent] = useState<Draft[]>([]);
  const id = useRef('');
  const latest = useRef(written);
  // Whether something was written that is not stored yet.
  const unsaved = useRef(false);
  const restoreNow = useEffectEvent(restore);
  const reportOther = useEffectEvent(onOtherTab);

  useEffect(() => {
    latest.current = written;
  });

  const listRecent = () => setRecent(readDrafts().filter((draft) => draft.id !== id.current && draft.text));

  function draftOf({ text, mode, form }: Written, archived: boolean): Draft {
    const { remark, slug, expiry, expiryAt, maxViews, syntax } = form;
    const kept = { remark, slug, expiry, expiryAt, maxViews, syntax };
    return { id: id.current, text, mode, form: kept, savedAt: Date.now(), archived };
  }

  function save(archived = false) {
    unsaved.current = false;
    if (!id.current) id.current = newDraftId();
    setState(saveDraft(draftOf(latest.current, archived)) ? 'saved' : 'tooLarge');
  }

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
    if (draft?.text && latest.current.text === '') restoreNow(draft);
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
  const saveNow = useEffectEvent(() => {
    if (unsaved.current) save();
  });
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    unsaved.current = true;
    const timer = setTimeout(saveNow, saveDelay);
    return () => clearTimeout(timer);
  }, [text, mode, form]);

  // After signing out, what is on the screen stays there but is not stored until it is changed again.
  const forget = useEffectEvent(() => {
    unsaved.current = false;
    setState('idle');
    listRecent();
  });
  useEffect(() => {
    const signedOut = () => forget();
    addEventListener(authEvents.signedOut, signedOut);
    return () => removeEventListener(authEvents.signedOut, signedOut);
  }, []);

  useEffect(() => {
    const leave = () => saveNow();
    addEventListener('pagehide', leave);
    return () => removeEventListener('pagehide', leave);
  }, []);

  useEffect(() => {
    if (state !== 'tooLarge') return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [state]);

  return {
    state,
    recent,
    /** saveNow does not wait for a pause. */
    saveNow: () => save(),
    /** archive puts the draft into the list of recent ones; what is typed next is a new draft. */
    archive() {
      if (latest.current.text !== '') save(true);
      id.current = newDraftId();
      setState('idle');
      listRecent();
    },
    /** take makes a draft of the list the one being written; the present one is put aside. */
    take(draft: Draft) {
      if (latest.current.text !== '') save(true);
      id.current = holdDraft(draft.id);
      saveDraft({ ...draft, archived: false });
      listRecent();
      restore(draft);
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
  return maxViews ? { ...kept, maxViews: fresh.maxViews } : kept;
}
