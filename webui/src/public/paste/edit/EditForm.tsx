import { lazy, Suspense, useCallback, useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import { ApiError, isQueued } from '../../../api/client';
import { errorText } from '../../../api/errorText';
import { updatePaste } from '../../../api/pastes';
import type { Paste, PasteDetail, PasteUpdate } from '../../../api/types';
import { useLanguage, useT } from '../../../i18n';
import { ConflictDialog } from '../../../shared/editor/ConflictDialog';
import { longText, makeCaretKeeper, type EditorHandle } from '../../../shared/editor/editor';
import { EditorLoading, PlainEditor } from '../../../shared/editor/PlainEditor';
import { formatOver } from '../../../shared/format';
import { lazyPart } from '../../../shared/lazyPart';
import { keepPassword } from '../../../shared/gate/password';
import { handOver } from '../../../shared/handover';
import type { Terms } from '../../../shared/shareform/changes';
import { TermsForm } from '../../../shared/shareform/TermsForm';
import { useTerms } from '../../../shared/shareform/useTerms';
import { Button, confirm, toast } from '../../../shared/ui';
import { useLeaveGuard } from '../../../shared/useLeaveGuard';
import { looksLikeMarkdown } from '../syntax';
import styles from './edit.module.css';
import { keepUnsaved, readUnsaved } from './unsaved';

const MarkdownEditor = lazy(() => import('../../../shared/editor/MarkdownEditor'));
const MarkToolbar = lazyPart(() => import('../../../shared/editor/MarkToolbar'), 'editor');

/** prepareEditor fetches the toolbar, so that what stands below it does not move when it comes. */
export const prepareEditor = MarkToolbar.prepare;

/** Most bytes of a text (§5). */
const contentLimit = 10 * 1024 * 1024;

interface EditFormProps {
  paste: PasteDetail;
  etag: string;
  /** load fetches the paste as it is now. */
  load: () => Promise<{ paste: PasteDetail; etag: string }>;
  onSaved: (change: Partial<Paste>, password: string | undefined) => void;
  onClose: () => void;
}

/** The text that was begun with, and the tag that says so to the server. */
interface Base {
  text: string;
  etag: string;
}

/** EditForm is the editor of a paste with its share settings, all of which start as "keep". */
export function EditForm({ paste, etag, load, onSaved, onClose }: EditFormProps) {
  const t = useT();
  const language = useLanguage();
  const [, navigate] = useLocation();
  const [kept] = useState(() => readUnsaved(paste.slug));
  const [text, setText] = useState(kept?.text ?? paste.content);
  const [base, setBase] = useState<Base>(
    kept ? { text: kept.base, etag: kept.etag } : { text: paste.content, etag },
  );
  const [caret] = useState(makeCaretKeeper);
  const terms = useTerms(termsOf(paste));
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState('');
  const [conflict, setConflict] = useState<{ text: string; etag: string }>();
  const [markdown] = useState(() =>
    paste.syntax ? paste.syntax === 'markdown' : looksLikeMarkdown(paste.content),
  );
  const editor = useRef<EditorHandle>(undefined);
  // The text goes on elsewhere.
  const copied = useRef(false);
  const onReady = useCallback((handle: EditorHandle | undefined) => {
    editor.current = handle;
  }, []);
  const dirty = text !== base.text || terms.dirty;

  useLeaveGuard(dirty, mayLeave);

  useEffect(() => {
    const frame = requestAnimationFrame(() => editor.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);

  function change(next: string) {
    setText(next);
    setProblem('');
  }

  function ready(): boolean {
    const size = new Blob([text]).size;
    const wrong =
      text.trim() === ''
        ? t('shareEdit.paste.empty')
        : size > contentLimit
          ? t('shareEdit.paste.tooLarge', formatOver(size, contentLimit, language))
          : '';
    setProblem(wrong);
    if (wrong) editor.current?.focus();
    return terms.check() && !wrong;
  }

  async function save(against: string) {
    if (saving || !ready()) return;
    const changes = terms.changes();
    if (text === paste.content && against === etag && Object.keys(changes).length === 0) {
      keepUnsaved(paste.slug, undefined);
      onClose();
      return;
    }
    const body: PasteUpdate = {
      content: text,
      ...(changes.remark !== undefined && { remark: changes.remark }),
      ...(changes.expiresAt !== undefined && { expiresAt: changes.expiresAt?.toISOString() ?? null }),
      ...(changes.maxViews !== undefined && { maxViews: changes.maxViews }),
      ...(changes.password && { password: changes.password }),
      ...(changes.password === '' && { clearPassword: true }),
    };
    setSaving(true);
    setConflict(undefined);
    try {
      await updatePaste(paste.id, body, against);
      keepUnsaved(paste.slug, undefined);
      toast.success(t('shareEdit.saved'));
      if (changes.password !== undefined) keepPassword(`paste/${paste.slug}`, changes.password);
      onSaved(shown(body), changes.password);
    } catch (error) {
      if (isQueued(error)) {
        keepUnsaved(paste.slug, undefined);
        toast.info(errorText(error, t));
        onSaved(shown(body), changes.password);
        return;
      }
      const isKept = keepUnsaved(paste.slug, { text, base: base.text, etag: base.etag });
      if (error instanceof ApiError && error.status === 412) await collide();
      else setProblem(`${errorText(error, t)} ${isKept ? t('shareEdit.paste.kept') : ''}`);
    } finally {
      setSaving(false);
    }
  }

  async function collide() {
    try {
      const now = await load();
      setConflict({ text: now.paste.content, etag: now.etag });
    } catch (error) {
      setProblem(errorText(error, t));
    }
  }

  function rebase(next: string, onto: { text: string; etag: string }) {
    setText(next);
    setBase(onto);
    setConflict(undefined);
    keepUnsaved(paste.slug, undefined);
    editor.current?.focus();
  }

  async function mayLeave() {
    if (copied.current) return true;
    const agreed = await confirm({
      title: t('shareEdit.discard.title'),
      body: t('shareEdit.discard.body'),
      confirmLabel: t('shareEdit.discard.confirm'),
      danger: true,
    });
    if (agreed) keepUnsaved(paste.slug, undefined);
    return agreed;
  }

  async function close() {
    if (dirty && !(await mayLeave())) return;
    keepUnsaved(paste.slug, undefined);
    onClose();
  }

  function keys(event: KeyboardEvent) {
    const saves = event.key === 'Enter' || event.key.toLowerCase() === 's';
    if (!saves || event.altKey || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    void save(base.etag);
  }

  const editorProps = {
    caret,
    text,
    onText: change,
    onReady,
    label: t('shareEdit.paste.editor'),
    placeholder: t('shareEdit.paste.placeholder'),
    invalid: problem !== '',
    describedBy: 'pp-edit-help pp-edit-problem',
  };
  return (
    <section data-form="" className={styles.edit} aria-labelledby="pp-edit" onKeyDownCapture={keys}>
      <h2 id="pp-edit">{t('shareEdit.paste.heading')}</h2>
      {kept && <p role="status">{t('shareEdit.paste.restored')}</p>}
      <div className={styles.grid}>
        <div className={styles.editor}>
          {markdown && (
            <div className={styles.tools}>
              <Suspense fallback={null}>
                <MarkToolbar editor={() => editor.current} text={() => text} />
              </Suspense>
            </div>
          )}
          {markdown || text.length >= longText ? (
            <div className={styles.code}>
              <Suspense fallback={<EditorLoading {...editorProps} />}>
                <MarkdownEditor {...editorProps} look={markdown ? 'source' : 'plain'} />
              </Suspense>
            </div>
          ) : (
            <div className={styles.plain}>
              <PlainEditor {...editorProps} />
            </div>
          )}
          <p id="pp-edit-problem" className={styles.problem} role="alert">
            {problem}
          </p>
          <p id="pp-edit-help" className="visually-hidden">
            {markdown ? t('shareEdit.paste.escape') : ''}
          </p>
        </div>
        <div className={styles.side}>
          <TermsForm {...terms.form} />
          <div className={styles.buttons}>
            <Button variant="primary" busy={saving} onClick={() => void save(base.etag)}>
              {t('shareEdit.save')}
            </Button>
            <Button onClick={() => void close()}>{t('common.cancel')}</Button>
            <p className={styles.shortcut}>{t('shareEdit.paste.shortcut')}</p>
          </div>
        </div>
      </div>
      {conflict && (
        <ConflictDialog
          say={(word) => t(`shareEdit.paste.conflict.${word}`)}
          mine={text}
          theirs={conflict.text}
          base={base.text}
          onMerge={(merged) => rebase(merged, conflict)}
          onOverwrite={() => void save(conflict.etag)}
          onReload={() => rebase(conflict.text, conflict)}
          onCopy={() => {
            keepUnsaved(paste.slug, undefined);
            copied.current = true;
            handOver({ text, markdown });
            navigate('/');
          }}
          onClose={() => setConflict(undefined)}
        />
      )}
    </section>
  );
}

const termsOf = (paste: PasteDetail): Terms => ({
  slug: paste.slug,
  remark: paste.remark ?? '',
  expiresAt: paste.expires_at,
  maxViews: paste.max_views ?? 0,
  hasPassword: paste.has_password,
});

/** shown is what the page shows after a save, without asking the server again, which would take a view. */
function shown(body: PasteUpdate): Partial<Paste> {
  return {
    content: body.content,
    ...(body.remark !== undefined && { remark: body.remark }),
    ...(body.expiresAt !== undefined && { expiresAt: body.expiresAt }),
    // A new limit starts the count anew.
    ...(body.maxViews !== undefined && { maxViews: body.maxViews, views: 0, isLastView: false }),
    ...(body.password !== undefined && { hasPassword: true }),
    ...(body.clearPassword && { hasPassword: false }),
  };
}
