import type { EditorView } from '@codemirror/view';
import { queryOptions } from '@tanstack/react-query';
import {
  CaseLower,
  CaseUpper,
  Clock,
  Expand,
  Map as MapIcon,
  Save,
  Search,
  Shrink,
  WrapText,
  X,
} from 'lucide-react';
import { useCallback, useEffect, useEffectEvent, useId, useRef, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useTimer } from '../../../hooks/useTimer';
import { errorText } from '../../../api/errorText';
import { language as languageNow, useLanguage, useT } from '../../../i18n';
import { ConflictDialog } from '../../../shared/editor/ConflictDialog';
import { formatTime } from '../../../shared/format';
import { encodings, textFacts } from '../../../shared/preview/encoding';
import { extensionOf } from '../../../shared/preview/kind';
import { ErrorPanel } from '../../../shared/problem/ErrorPanel';
import { useReading } from '../../../shared/query/useReading';
import { Button, confirm, IconButton, SelectField, Skeleton, toast } from '../../../shared/ui';
import { useLeaveGuard } from '../../../shared/useLeaveGuard';
import { freeName } from '../entries';
import { hrefOf, join, nameOf, parentOf } from '../place';
import { backups, type Backup } from './backup';
import CodeEditor from './CodeEditor';
import styles from './edit.module.css';
import { changeSelection, insertText } from './find';
import { FindBar } from './FindBar';
import { Minimap } from './Minimap';
import { isOvertaken, lineBreaks, readText, textOf, Unsavable, writeText, type TextFile } from './textFile';

/** Milliseconds of rest before an unsaved text is kept on this device. */
const keepAfter = 1000;

/** A longer text is not counted while it is written, in UTF-16 units. */
const longestCounted = 1_000_000;

interface EditPaneProps {
  /** path of the file. */
  path: string;
  /** taken are the names in its folder. */
  taken: readonly string[];
  /** onClose leaves the editor; saved says whether the file has changed. */
  onClose: (saved: boolean) => void;
}

/** editedQuery is a text as it is when its editor opens; it is read once for each opening. */
const editedQuery = (path: string) =>
  queryOptions({
    queryKey: ['edited text', path],
    queryFn: ({ signal }) => readText(path, languageNow(), signal),
    staleTime: Infinity,
    gcTime: 0,
    structuralSharing: false,
  });

/** EditPane edits a text file in its own encoding, and never over somebody else's change without asking. */
export default function EditPane({ path, taken, onClose }: EditPaneProps) {
  const t = useT();
  const { data: file, error, retry } = useReading(editedQuery(path));

  if (error) {
    return (
      <ErrorPanel
        error={error}
        title={t('explorer.preview.failed')}
        onRetry={retry}
        onBack={() => onClose(false)}
      />
    );
  }
  if (!file) return <Skeleton height={480} />;
  return <Editing path={path} taken={taken} first={file} onClose={onClose} />;
}

interface EditingProps extends EditPaneProps {
  first: TextFile;
}

function Editing({ path, taken, first, onClose }: EditingProps) {
  const t = useT();
  const language = useLanguage();
  const [, go] = useLocation();
  const statusId = useId();
  const [file, setFile] = useState(first);
  const [begin, setBegin] = useState({ text: first.text, number: 0 });
  const [view, setView] = useState<EditorView>();
  const [dirty, setDirty] = useState(false);
  const [busy, setBusy] = useState(false);
  const [saved, setSaved] = useState(false);
  const [problem, setProblem] = useState('');
  const [theirs, setTheirs] = useState<TextFile>();
  const [kept, setKept] = useState<Backup | undefined>(() => {
    const backup = backups.get(path);
    return backup && backup.text !== first.text ? backup : undefined;
  });
  const [facts, setFacts] = useState(() => textFacts(first.text.slice(0, longestCounted)));
  const [ticks, setTicks] = useState(0);
  const [wrap, setWrap] = useState(true);
  const [finding, setFinding] = useState(false);
  const [map, setMap] = useState(false);
  const [large, setLarge] = useState(false);
  const onReady = useCallback((editor: EditorView | undefined) => setView(editor), []);
  const textNow = () => view?.state.sliceDoc() ?? begin.text;

  const keep = () => {
    if (!view) return;
    const text = textNow();
    if (dirty) backups.keep(path, text);
    // What an earlier visit left stays until its writer has chosen.
    else if (!kept) backups.forget(path);
    if (text.length <= longestCounted) setFacts(textFacts(text));
  };
  useTimer(keep, keepAfter, `${ticks} ${dirty}`);
  // What leads away without a question, such as the loss of the session, loses nothing either.
  const settled = useRef(false);
  const keepLast = useEffectEvent(() => {
    if (dirty && !settled.current) backups.keepLast(path, textNow());
  });
  useEffect(() => () => keepLast(), []);

  function changed(editor: EditorView, edited: boolean) {
    setTicks((before) => before + 1);
    if (edited) setDirty(editor.state.sliceDoc() !== file.text);
  }

  /** done notes what the file holds now. */
  function done(text: string, etag: string, form: TextFile) {
    setFile({ ...form, text, etag });
    setDirty(view ? view.state.sliceDoc() !== text : false);
    setSaved(true);
    backups.forget(path);
    toast.success(t('explorerEdit.saved', { name: nameOf(path) }));
  }

  /** replace puts another text into the editor. */
  function replace(text: string) {
    setBegin({ text, number: begin.number + 1 });
    setTicks((before) => before + 1);
  }

  async function save(form = file, etag = file.etag) {
    if (busy) return;
    const text = textNow();
    setBusy(true);
    setProblem('');
    try {
      done(text, await writeText(path, text, form, etag), form);
    } catch (error) {
      await failed(error, form);
    } finally {
      setBusy(false);
    }
  }

  async function failed(error: unknown, form: TextFile) {
    if (error instanceof Unsavable && error.reason === 'characters') {
      const name = encodings.find(({ label }) => label === form.encoding)?.name ?? form.encoding;
      const sure = await confirm({
        title: t('explorerEdit.lost.title', { name }),
        body: t('explorerEdit.lost.body', { characters: error.lost.slice(0, 10).join(' ') }),
        confirmLabel: t('explorerEdit.lost.confirm'),
      });
      if (sure) void saveAs({ ...form, encoding: 'utf-8', bom: false });
    } else if (error instanceof Unsavable) setProblem(t('explorerEdit.tooLong'));
    else if (isOvertaken(error)) {
      try {
        setTheirs(await readText(path, language));
      } catch (other) {
        setProblem(errorText(other, t));
      }
    } else setProblem(errorText(error, t));
  }

  // The failed save still holds the button; the next one begins when it has let go.
  const saveAs = async (form: TextFile) => {
    try {
      done(textNow(), await writeText(path, textNow(), form, form.etag), form);
    } catch (error) {
      await failed(error, form);
    }
  };

  async function saveCopy() {
    const name = freeName(nameOf(path), (other) => taken.includes(other));
    try {
      await writeText(join(parentOf(path), name), textNow(), file, 'new');
      backups.forget(path);
      toast.success(t('explorerEdit.saved', { name }));
      setTheirs(undefined);
      setDirty(false);
      settled.current = true;
      go(hrefOf(parentOf(path), name));
    } catch (error) {
      setTheirs(undefined);
      setProblem(errorText(error, t));
    }
  }

  async function close() {
    if (dirty && !(await mayLeave())) return;
    settled.current = true;
    backups.forget(path);
    onClose(saved);
  }

  const mayLeave = async () =>
    settled.current ||
    confirm({
      title: t('explorerEdit.leave.title'),
      body: t('explorerEdit.leave.body'),
      confirmLabel: t('explorerEdit.leave.confirm'),
      danger: true,
    });

  function chooseEncoding(encoding: string) {
    if (dirty) {
      setFile({ ...file, encoding, bom: file.bom && encoding.startsWith('utf') });
      return;
    }
    const again = textOf(file.bytes, file.etag, encoding);
    setFile(again);
    replace(again.text);
  }

  useLeaveGuard(dirty, mayLeave);

  const commands = {
    'Mod-s': () => void save(),
    'Mod-f': () => setFinding(true),
    'Alt-z': () => setWrap((before) => !before),
    Escape: () => setFinding(false),
  };
  return (
    <section className={styles.pane} data-large={large || undefined} aria-label={t('explorerEdit.title')}>
      <div className={styles.tools} role="toolbar" aria-label={t('explorerEdit.tools')}>
        <Button
          variant="primary"
          busy={busy}
          disabled={!dirty && file.encoding === first.encoding}
          icon={<Save size={18} />}
          aria-keyshortcuts="Control+S"
          onClick={() => void save()}
        >
          {t('explorerEdit.save')}
        </Button>
        <Button icon={<X size={18} />} onClick={() => void close()}>
          {t('explorerEdit.close')}
        </Button>
        <span className={styles.gap} />
        <Tool name="find" pressed={finding} run={() => setFinding(!finding)} icon={<Search size={20} />} />
        <Tool name="wrap" pressed={wrap} run={() => setWrap(!wrap)} icon={<WrapText size={20} />} />
        <Tool name="map" pressed={map} run={() => setMap(!map)} icon={<MapIcon size={20} />} />
        <Tool
          name="time"
          run={() => view && insertText(view, formatTime(new Date(), language))}
          icon={<Clock size={20} />}
        />
        <Tool
          name="upper"
          run={() => view && changeSelection(view, (text) => text.toLocaleUpperCase(language))}
          icon={<CaseUpper size={20} />}
        />
        <Tool
          name="lower"
          run={() => view && changeSelection(view, (text) => text.toLocaleLowerCase(language))}
          icon={<CaseLower size={20} />}
        />
        <Tool
          name="large"
          pressed={large}
          run={() => setLarge(!large)}
          icon={large ? <Shrink size={20} /> : <Expand size={20} />}
        />
        <SelectField
          className={styles.encoding}
          label={t('preview.text.encoding')}
          value={file.encoding}
          choices={encodings.map(({ label, name }) => ({ value: label, label: name }))}
          onChange={(event) => chooseEncoding(event.target.value)}
        />
      </div>
      {kept && (
        <div className={styles.kept} role="status">
          <p>{t('explorerEdit.kept', { time: formatTime(new Date(kept.at), language) })}</p>
          <Button
            onClick={() => {
              replace(kept.text);
              setKept(undefined);
              setDirty(true);
            }}
          >
            {t('explorerEdit.restore')}
          </Button>
          <Button
            variant="quiet"
            onClick={() => {
              backups.forget(path);
              setKept(undefined);
            }}
          >
            {t('explorerEdit.discard')}
          </Button>
        </div>
      )}
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      {finding && view && <FindBar view={view} onClose={() => setFinding(false)} />}
      <div className={styles.body}>
        <CodeEditor
          key={begin.number}
          text={begin.text}
          lineBreak={lineBreaks[file.ending]}
          language={extensionOf(nameOf(path))}
          wrap={wrap}
          label={t('explorerEdit.text', { name: nameOf(path) })}
          describedBy={statusId}
          keys={commands}
          onReady={onReady}
          onChange={changed}
        />
        {map && view && <Minimap view={view} ticks={ticks} />}
      </div>
      <ul className={styles.status} id={statusId}>
        <li>{t(dirty ? 'explorerEdit.dirty' : 'explorerEdit.clean')}</li>
        <li>{t('preview.text.lines', facts.lines)}</li>
        <li>{t('preview.text.characters', facts.characters)}</li>
        <li>{t('preview.text.words', facts.words)}</li>
        <li>{file.ending === 'mixed' ? t('preview.text.mixed') : file.ending}</li>
        {file.bom && <li>{t('explorerEdit.mark')}</li>}
      </ul>
      {theirs && (
        <ConflictDialog
          say={(word) => t(`explorerEdit.conflict.${word}`)}
          mine={textNow()}
          theirs={theirs.text}
          base={file.text}
          onMerge={(text) => {
            setFile(theirs);
            setTheirs(undefined);
            replace(text);
            setDirty(true);
          }}
          onOverwrite={() => {
            setTheirs(undefined);
            void save(file, theirs.etag);
          }}
          onReload={() => {
            setFile(theirs);
            setTheirs(undefined);
            replace(theirs.text);
            setDirty(false);
            backups.forget(path);
          }}
          onCopy={() => void saveCopy()}
          onClose={() => setTheirs(undefined)}
        />
      )}
    </section>
  );
}

interface ToolProps {
  /** name of the tool, below explorerEdit.tool. */
  name: string;
  icon: ReactNode;
  run: () => void;
  pressed?: boolean;
}

function Tool({ name, icon, run, pressed }: ToolProps) {
  const t = useT();
  return (
    <IconButton
      label={t(`explorerEdit.tool.${name}`)}
      aria-pressed={pressed}
      // The selection in the text stays while a tool is pressed.
      onPointerDown={(event) => event.preventDefault()}
      onClick={run}
    >
      <span aria-hidden="true" className={styles.toolIcon}>
        {icon}
      </span>
    </IconButton>
  );
}
