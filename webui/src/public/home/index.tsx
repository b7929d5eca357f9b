import {
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useState,
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
} from 'react';
import { errorText } from '../../api/errorText';
import { permissions } from '../../auth/permissions';
import { Gate } from '../../auth/Gate';
import { useSession } from '../../auth/session';
import { nothingToDrag, useMedia } from '../../hooks/useMedia';
import { loadAreas, useLanguage, useT } from '../../i18n';
import { pages } from '../../pages';
import { longText, makeCaretKeeper } from '../../shared/editor/editor';
import { EditorLoading, PlainEditor } from '../../shared/editor/PlainEditor';
import { Toolbar } from '../../shared/editor/Toolbar';
import { formatOver } from '../../shared/format';
import { PageHeading, usePageTitle } from '../../shared/page';
import { takeHandover } from '../../shared/handover';
import { siteRules } from '../../shared/rules';
import { useShareForm } from '../../shared/shareform';
import type { Telling } from '../../shared/shareform/TellMe';
import { useSite } from '../../shared/site';
import { Button, Segmented, toast } from '../../shared/ui';
import { Counter } from './Counter';
import { byteLength, contentLimit } from './count';
import type { Draft, EditorMode } from './drafts';
import { useStore } from '../../store';
import styles from './home.module.css';
import { loadTerms, Options } from './Options';
import { recentShares, rememberShare, type MadeShare } from './shares';
import { syntaxes } from './syntaxes';
import { field, withFiles } from './tray';
import { formOf, useDraft } from './useDraft';
import { firstMode, firstView, rememberWay, ways, type View, type Way } from './view';

const withWords = async <Module,>(module: Promise<Module>, ...areas: string[]) =>
  (await Promise.all([module, loadAreas(...areas)]))[0];

const MarkdownPanes = lazy(() => import('./MarkdownPanes'));
const MarkToolbar = lazy(() => withWords(import('../../shared/editor/MarkToolbar'), 'editor'));
const Announcement = lazy(() => withWords(import('./Announcement'), 'homeMore'));
const ExportMenu = lazy(() => withWords(import('../../shared/exports/ExportMenu'), 'exports'));
const Lists = lazy(() => withWords(import('./Lists'), 'homeMore', 'shareBox'));
const loadShareBox = () => withWords(import('./ShareBox'), 'shareBox');
const ShareBox = lazy(loadShareBox);
const loadSharing = () => import('./sharing');
const loadReplacing = () => withWords(import('./replacing'), 'homeMore');

const loadFiles = () => withWords(import('./files'), 'homeMore', 'editor', 'file', 'shareBox');
const Files = lazy(() => withWords(import('./Files'), 'homeMore', 'file', 'shareBox'));

/** isText says whether a file is read into the field, by what the browser takes it for and by its size. */
const isText = ({ name, type, size }: File) =>
  size <= contentLimit &&
  (/^text\/|json|xml$|yaml|javascript|x-sh/.test(type) ||
    (type === '' && !/\.(zip|7z|rar|gz|exe|bin|iso|dmg|apk)$/i.test(name)));

const loadAttach = () => withWords(import('./attach'), 'editor', 'file', 'homeMore');

/** Home is where anything is shared: what is written, pasted, dropped or chosen. */
export default function Home() {
  const t = useT();
  const touch = useMedia(nothingToDrag);
  const language = useLanguage();
  const session = useSession();
  const { announcement, announcementEnabled } = useSite();
  const form = useShareForm();
  const [text, setText] = useState('');
  const [mode, setMode] = useState<EditorMode>(() => firstMode(siteRules().editorMode));
  const [view, setView] = useState<View>(firstView);
  const [sending, setSending] = useState(false);
  const [contentProblem, setContentProblem] = useState('');
  const [problem, setProblem] = useState('');
  const [made, setMade] = useState<{ share: MadeShare; copied: boolean; telling: Omit<Telling, 'id'> }>();
  const [recent, setRecent] = useState<MadeShare[]>(recentShares);
  const [full, setFull] = useState(false);
  const hasFiles = useStore(withFiles);
  // The field is not changed for the editor of long texts while an input method composes in it.
  const [heldLong, setHeldLong] = useState<boolean>();
  const long = heldLong ?? text.length >= longText;
  const [caret] = useState(makeCaretKeeper);
  usePageTitle(t(pages.home.title), true);

  const current = () => field.get()?.text?.() ?? text;
  const draft = useDraft({
    current,
    written: useMemo(() => ({ text, mode, form: form.values }), [text, mode, form.values]),
    restore(found) {
      fill(found);
      toast.info(t('home.draft.restored'));
    },
    takeOver() {
      const handed = takeHandover();
      if (!handed) return false;
      changeText(handed.text);
      setMode(handed.markdown ? 'markdown' : 'plain');
      return true;
    },
    onOtherTab: () => toast.info(t('home.draft.otherTab')),
    onLost: () => toast.error(t('home.draft.lost')),
    async onRisk() {
      const { askToLose } = await loadReplacing();
      return () => askToLose(t);
    },
  });

  function fill(found: Draft) {
    changeText(found.text);
    setMode(found.mode);
    form.reset(formOf(found));
  }

  const changeText = useCallback((next: string) => {
    setText(next);
    setContentProblem('');
  }, []);

  function changeWay(next: Way) {
    setMode(next === 'plain' ? 'plain' : 'markdown');
    if (next !== 'plain') setView(next);
    rememberWay(next);
  }

  const mayShare = session.can(permissions.TEXT);
  const mayAttach = session.can(permissions.FILE_SHARE);
  const mayPress = mayShare || (mayAttach && hasFiles);

  // What sharing needs is there when the network is not, whether or not a worker keeps it.
  const writes = mayShare && text !== '';
  useEffect(() => {
    if (!writes) return;
    void loadTerms();
    void loadSharing().catch(() => undefined);
  }, [writes]);

  /** Checks everything, shows what is missing and leads there. */
  function ready(content: string): boolean {
    const size = byteLength(content);
    const wrong =
      content.trim() === ''
        ? t('home.share.empty')
        : size > contentLimit
          ? t('home.share.tooLarge', formatOver(size, contentLimit, language))
          : '';
    setContentProblem(wrong);
    const formReady = form.check();
    if (!wrong) return formReady;
    if (view === 'preview') setView('source');
    form.lead();
    return false;
  }

  async function share() {
    if (sending || !mayPress) return;
    const content = current();
    if (hasFiles && (await sendFiles(content.trim() === '')) && content.trim() === '') return;
    if (!mayShare) return;
    if (!ready(content)) return;
    setSending(true);
    setProblem('');
    // The box is fetched while the server works; failing here only means that it is fetched again later.
    loadShareBox().catch(() => undefined);
    try {
      const { shareText } = await loadSharing();
      const { told, ...done } = await shareText({ content, markdown: mode === 'markdown' }, form.values, t);
      draft.archive();
      setRecent(rememberShare(done.share));
      setMade({ ...done, telling: { now: told !== undefined, saving: told !== undefined } });
      void told?.then((now) =>
        setMade((box) => (box?.share === done.share ? { ...done, telling: { now } } : box)),
      );
    } catch (error) {
      await refused(error);
    } finally {
      setSending(false);
    }
  }

  /** sendFiles shares the files in the field and answers whether there were any. A text beside them has the custom link. */
  async function sendFiles(alone: boolean): Promise<boolean> {
    const files = await loadFiles();
    if (files.waiting().length === 0) return false;
    if (!form.check()) return true;
    try {
      await files.sendFiles(alone ? form.values : { ...form.values, slug: '' }, t);
    } catch (error) {
      setProblem(errorText(error, t));
    }
    return true;
  }

  async function refused(error: unknown) {
    const refusal = await loadSharing().then(
      (sharing) => sharing.refusalOf(error, t),
      () => undefined,
    );
    if (refusal?.queued) {
      draft.archive();
      startNew();
      return;
    }
    const reason = errorText(error, t);
    if (refusal?.slug) form.refuse('slug', refusal.slug);
    else setProblem(refusal?.offline === false ? reason : t('home.share.networkKept', { reason }));
  }

  async function importFile(file: File) {
    const { importText } = await loadReplacing();
    const imported = await importText(file, current() !== '', t, language);
    if (!imported) return;
    changeText(imported.text);
    if (imported.markdown) changeWay(view);
  }

  async function clear() {
    if (current() === '') return;
    const { askToClear } = await loadReplacing();
    const before = { text: current(), values: form.values };
    const undo = () => {
      changeText(before.text);
      form.reset(before.values);
    };
    if (!(await askToClear(undo, t))) return;
    changeText('');
    form.reset();
  }

  function startNew() {
    setMade(undefined);
    changeText('');
    form.reset();
    field.get()?.focus();
  }

  function keys(event: KeyboardEvent) {
    // What an input method does with a key is its own affair.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape' && full && !event.defaultPrevented) setFull(false);
    if (event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault();
      draft.saveNow();
    }
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.stopPropagation();
    void share();
  }

  async function attachFiles(files: readonly File[]) {
    const { attach } = await loadAttach();
    await attach(files, t);
  }

  /** Pictures, films and sounds are attached; everything else is read as a text. */
  const isAttached = (file: File) =>
    mode === 'markdown' && mayAttach && /^(image|video|audio)\//.test(file.type);

  /** What is no text is shared as a file, where that is allowed. */
  const isShared = (files: readonly File[]) => mayAttach && (files.length > 1 || !files.every(isText));

  function take(files: readonly File[]) {
    const [file] = files;
    if (!file) return;
    if (isAttached(file)) void attachFiles(files);
    else if (isShared(files)) void shareFiles(files);
    else void importFile(file);
  }

  async function shareFiles(files: readonly File[]) {
    const { addFiles } = await loadFiles();
    addFiles(files, t);
    withFiles.set(true);
  }

  const drop = {
    onDragOver(event: DragEvent) {
      if (event.dataTransfer.types.includes('Files')) event.preventDefault();
    },
    onDrop(event: DragEvent) {
      const files = [...event.dataTransfer.files];
      const [file] = files;
      if (!file) return;
      event.preventDefault();
      take(files);
    },
    onPasteCapture(event: ClipboardEvent) {
      const files = [...event.clipboardData.files];
      if (!files[0] || !(isAttached(files[0]) || isShared(files))) return;
      event.preventDefault();
      event.stopPropagation();
      take(files);
    },
  };

  const isTaken = (slug: string, signal: AbortSignal) =>
    loadSharing().then((sharing) => sharing.isTaken(slug, signal));

  const syntaxName = (syntax: string) =>
    syntax === 'markdown'
      ? 'Markdown'
      : syntax === 'text'
        ? t('home.ways.plain')
        : (syntaxes[syntax] ?? syntax);

  const way: Way = mode === 'plain' ? 'plain' : view;
  const toolbarProps = {
    onImport: take,
    onClear: () => void clear(),
  };
  const editorProps = {
    text,
    onText: changeText,
    onReady: field.set,
    caret,
    patient: true,
    label: t('home.editor.label'),
    placeholder: t(touch ? 'home.editor.placeholderTouch' : 'home.editor.placeholder'),
    invalid: contentProblem !== '',
    describedBy: 'pp-content-help pp-content-problem',
  };

  return (
    <div className={styles.page} data-form="" onKeyDownCapture={keys}>
      <div className={styles.top}>
        <PageHeading>{t('home.heading')}</PageHeading>
        <div className={styles.switches}>
          <Segmented
            label={t('home.modes.label')}
            value={way}
            onChange={changeWay}
            choices={ways.map((value) => ({
              value,
              label: t(`home.ways.${value}`),
              hint: t(`home.about.${value}`),
            }))}
          />
        </div>
      </div>
      {made && (
        <Suspense fallback={null}>
          <ShareBox
            share={made.share}
            copied={made.copied}
            telling={made.telling}
            onNew={startNew}
            onKeepEditing={() => {
              setMade(undefined);
              // The link is taken now, by this very text.
              form.set({ slug: '' });
              field.get()?.focus();
            }}
            onClose={() => setMade(undefined)}
          />
        </Suspense>
      )}
      <Suspense fallback={null}>{hasFiles && <Files />}</Suspense>
      <div className={styles.grid}>
        <section
          className={`${styles.editor} ${full ? styles.full : ''}`}
          aria-label={t('home.modes.label')}
          onCompositionStart={() => setHeldLong(long)}
          onCompositionEnd={() => setHeldLong(undefined)}
          {...drop}
        >
          <div className={styles.tools} data-marks={(mode === 'markdown' && view !== 'preview') || undefined}>
            {mode === 'markdown' && view !== 'preview' ? (
              <Suspense fallback={<Toolbar {...toolbarProps} />}>
                <MarkToolbar
                  {...toolbarProps}
                  editor={field.get}
                  text={current}
                  full={full}
                  onFull={() => setFull(!full)}
                  {...(mayAttach
                    ? { onAttach: (files) => void attachFiles(files) }
                    : { attachProblem: t('home.toolbar.attachNeeds') })}
                />
              </Suspense>
            ) : (
              <Toolbar {...toolbarProps} />
            )}
            <Suspense fallback={null}>
              <ExportMenu
                quiet
                source={() => ({ text: current(), markdown: mode === 'markdown', title: form.values.remark })}
              />
            </Suspense>
          </div>
          {mode === 'plain' && !long ? (
            <PlainEditor {...editorProps} />
          ) : (
            <Suspense fallback={<EditorLoading {...editorProps} />}>
              <MarkdownPanes {...editorProps} way={way} />
            </Suspense>
          )}
          <div className={styles.below}>
            <Counter text={text} />
            <p className={draft.state === 'tooLarge' ? styles.warning : styles.quiet}>
              {draft.state === 'saved' && text !== '' && t('home.draft.saved')}
              {draft.state === 'tooLarge' && t('home.draft.notSaved')}
            </p>
          </div>
          <p id="pp-content-problem" className={styles.problem} role="alert">
            {contentProblem}
          </p>
          <p id="pp-content-help" className="visually-hidden">
            {mode === 'markdown' ? t('home.editor.escape') : ''}
          </p>
        </section>
        <section className={styles.side} aria-labelledby="pp-share-settings">
          <h2 id="pp-share-settings" className="visually-hidden">
            {t('home.share.heading')}
          </h2>
          <Options
            form={form}
            disabled={!mayShare && !session.checking}
            isTaken={isTaken}
            syntax={syntaxName(form.values.syntax)}
          />
          {!mayShare && !session.checking && (
            <div className={styles.wide}>
              <Gate need="text" compact />
            </div>
          )}
          <div className={styles.submit} data-ready={mayShare || undefined}>
            <p className={styles.problem} role="alert">
              {problem}
            </p>
            <Button variant="primary" busy={sending} disabled={!mayPress} onClick={() => void share()}>
              {t('home.share.submit')}
            </Button>
            <p className={styles.shortcut}>{t('home.share.shortcut')}</p>
          </div>
        </section>
      </div>
      <Suspense fallback={null}>
        {announcementEnabled && announcement.trim() !== '' && <Announcement text={announcement} />}
      </Suspense>
      <Suspense fallback={null}>
        {(recent.length > 0 || draft.recent.length > 0) && (
          <Lists shares={recent} drafts={draft.recent} onRestore={draft.take} onDelete={draft.forget} />
        )}
      </Suspense>
    </div>
  );
}
