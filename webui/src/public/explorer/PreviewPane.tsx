import {
  ArrowLeft,
  ChevronLeft,
  ChevronRight,
  Download,
  Ellipsis,
  ExternalLink,
  History,
  Link2,
  Pencil,
  Search,
  Share2,
  type LucideIcon,
} from 'lucide-react';
import { Suspense, useMemo, useState, type ReactNode, type Ref } from 'react';
import { Link, useLocation } from 'wouter';
import type { Entry } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { isText, opensInBrowser, previewKind } from '../../shared/preview/kind';
import { shortClass, TextBar } from '../../shared/preview/TextBar';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { entryChanged, entryQuery } from '../../shared/query/folders';
import { useReading } from '../../shared/query/useReading';
import { Button, IconButton, iconLinkClass, Menu, Skeleton, Time, type MenuItem } from '../../shared/ui';
import { useListener } from '../../hooks/useListener';
import { useMedia } from '../../hooks/useMedia';
import { aroundOf, previewed } from './around';
import type { Asked } from './asked';
import { isEditable, kindOf } from './entries';
import styles from './explorer.module.css';
import { lazyPart } from '../../shared/lazyPart';
import { kindWord } from './kindWord';
import { hrefOf, nameOf, parentOf } from './place';
import { EntryMark } from './EntryControls';
import type { Marks } from './useMarks';
import { useRights } from './useRights';

const FilePreview = lazyPart(
  async () => ({ default: (await import('../../shared/preview')).FilePreview }),
  'preview',
);

const VersionsDialog = lazyPart(() => import('./VersionsDialog'), 'revisions');
const EditPane = lazyPart(() => import('./edit/EditPane'), 'explorerEdit', 'preview');

interface PreviewPaneProps {
  /** path of the file. */
  path: string;
  /** crumbs are the way to the file; its name is the heading where a place for one is given. */
  crumbs: (headingRef?: Ref<HTMLHeadingElement>) => ReactNode;
  /** siblings are the entries of its folder in the order of the listing. */
  siblings: readonly Entry[];
  marks: Marks;
  onDownload: (entry: Entry) => void;
  onAsk: (asked: Asked) => void;
  /** onSaved is told when the file has another content. */
  onSaved: () => void;
}

/** PreviewPane shows a file of a folder below one line with its name, and the way to the files beside it. */
export function PreviewPane(props: PreviewPaneProps) {
  const { path, crumbs, siblings, marks, onDownload, onAsk, onSaved } = props;
  const t = useT();
  const language = useLanguage();
  const rights = useRights();
  const [, go] = useLocation();
  const narrow = useMedia('(max-width: 639px)');
  // What was opened of one file is not open for the next.
  const [opened, setOpened] = useState<{ part: 'edit' | 'versions'; path: string }>();
  const part = opened?.path === path ? opened.part : undefined;
  const editing = part === 'edit';
  const open = (next?: 'edit' | 'versions') => setOpened(next && { part: next, path });
  const [forms, setForms] = useState<HTMLElement | null>(null);
  const [copy, setCopy] = useState<HTMLElement | null>(null);
  const { data: facts, error, retry } = useReading(entryQuery(path));
  const folder = parentOf(path);
  const files = siblings.filter((entry) => !entry.isDirectory && entry.reachable !== false);
  const at = files.findIndex(({ name }) => name === nameOf(path));
  // No name holds a slash.
  const names = files.map(({ name }) => name).join('/');
  const around = useMemo(() => aroundOf(folder, names.split('/')), [folder, names]);

  const step = (by: number) => {
    const next = files[at + by];
    if (at >= 0 && next) go(hrefOf(folder, next.name));
  };
  useListener('keydown', (event) => {
    if (editing || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // A dialog, the full screen, a field and the menu of the site have an Escape of their own.
    if (document.querySelector('dialog[open]') || document.fullscreenElement) return;
    const back = event.key === 'Escape' && !event.altKey && !event.repeat;
    if (back && !hasOwnEscape(event.target)) go(hrefOf(folder));
    const by = event.altKey && { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    step(by);
  });

  function changed() {
    void entryChanged(path);
    onSaved();
  }

  const entry: Entry | undefined = facts && { ...facts, path, isDirectory: false };
  // A text has its forms in one bar with what can be done with the file, as shared texts have.
  const hasForms = isText(previewKind(kindOf(facts ?? files[at] ?? { name: nameOf(path) })));
  const file = useMemo(() => facts && previewed(facts, path), [facts, path]);
  const tools = !editing && (
    <div className={styles.previewTools} role="group" aria-label={t('explorer.preview.tools')}>
      {hasForms && <span ref={setCopy} className={styles.previewCopy} />}
      <FileTools
        entry={entry}
        inBar={hasForms}
        narrow={narrow}
        directUrl={facts?.preview_url && opensInBrowser(kindOf(facts)) ? facts.preview_url : undefined}
        editable={Boolean(rights.upload && facts && isEditable(facts))}
        shareable={rights.share}
        onDownload={onDownload}
        onAsk={onAsk}
        onOpen={open}
      />
    </div>
  );
  const known = (
    <p className={styles.facts}>
      {facts && !facts.isDirectory ? (
        <>
          <span title={facts.contentType}>{kindWord(facts, t)}</span> · {formatSize(facts.size, language)}
          {facts.modified && (
            <>
              {' · '}
              <Time value={facts.modified} />
            </>
          )}
        </>
      ) : (
        ' '
      )}
    </p>
  );
  return (
    <article className={styles.preview}>
      <header className={styles.previewHead} data-bar={(hasForms && !editing) || undefined}>
        <Link
          href={hrefOf(folder)}
          className={iconLinkClass}
          aria-label={t('explorer.preview.back')}
          title={t('explorer.preview.back')}
        >
          <ArrowLeft size={20} />
        </Link>
        {narrow ? (
          <div className={styles.previewName}>
            <h2 ref={takeFocus} tabIndex={-1} title={nameOf(path)}>
              {nameOf(path)}
            </h2>
            {known}
          </div>
        ) : (
          <>
            {crumbs(takeFocus)}
            {known}
          </>
        )}
        {entry && (
          <EntryMark
            entry={entry}
            marks={marks}
            onMark={(marked) => onAsk({ kind: 'shares', entry: marked })}
          />
        )}
        {!editing && (
          <>
            <Step
              label={t('explorer.preview.previous')}
              icon={ChevronLeft}
              ends={at <= 0}
              onStep={() => step(-1)}
            />
            <Step
              label={t('explorer.preview.next')}
              icon={ChevronRight}
              ends={at < 0 || at >= files.length - 1}
              onStep={() => step(1)}
            />
          </>
        )}
        {!narrow && (
          <IconButton
            label={t('explorer.tools.search')}
            aria-keyshortcuts="Control+K Meta+K"
            onClick={() => onAsk({ kind: 'search' })}
          >
            <Search size={20} />
          </IconButton>
        )}
        {!hasForms && tools}
      </header>
      {hasForms && !editing && (
        <TextBar stays formsRef={setForms}>
          {tools}
        </TextBar>
      )}
      {error && (
        <ErrorPanel
          error={error}
          title={t('explorer.preview.failed')}
          onRetry={retry}
          onBack={() => go(hrefOf(folder))}
        />
      )}
      {!facts && !error && <Skeleton height={320} />}
      {facts && editing && (
        <Suspense fallback={<Skeleton height={480} />}>
          <EditPane
            path={path}
            taken={siblings.map(({ name }) => name)}
            onClose={(saved) => {
              open();
              if (saved) changed();
            }}
          />
        </Suspense>
      )}
      {file && !editing && (
        <Suspense fallback={<Skeleton height={320} />}>
          <FilePreview key={path} file={file} around={around} bar={hasForms ? { forms, copy } : undefined} />
        </Suspense>
      )}
      {narrow && crumbs()}
      {part === 'versions' && (
        <Suspense fallback={null}>
          <VersionsDialog
            path={path}
            onRestored={() => {
              open();
              changed();
            }}
            onClose={() => open()}
          />
        </Suspense>
      )}
    </article>
  );
}

interface StepProps {
  label: string;
  icon: LucideIcon;
  /** ends says that there is no file on this side. */
  ends: boolean;
  onStep: () => void;
}

/** Step leads to the file beside; at the end it stays, so that the focus does. */
function Step({ label, icon: Icon, ends, onStep }: StepProps) {
  return (
    <IconButton label={label} aria-disabled={ends || undefined} onClick={onStep}>
      <Icon size={20} />
    </IconButton>
  );
}

interface FileToolsProps extends Pick<PreviewPaneProps, 'onDownload' | 'onAsk'> {
  entry: Entry | undefined;
  /** inBar says that they stand in the bar of a text, where their words give way. */
  inBar: boolean;
  /** narrow puts more of them into the menu there. */
  narrow: boolean;
  /** directUrl is an address that shows the file alone. */
  directUrl: string | undefined;
  editable: boolean;
  shareable: boolean;
  onOpen: (part: 'edit' | 'versions') => void;
}

/** FileTools is what can be done with a file: what is wanted often as buttons, the rest in a menu. */
function FileTools(props: FileToolsProps) {
  const { entry, inBar, narrow, directUrl, editable, shareable, onDownload, onAsk, onOpen } = props;
  const t = useT();
  const icon = (Icon: LucideIcon) => <Icon size={18} />;
  const share = () => entry && onAsk({ kind: 'share', entry });
  const edit = () => onOpen('edit');
  const download = () => entry && onDownload(entry);
  const folds = inBar && narrow;
  const link = () => entry && onAsk({ kind: 'link', entry });
  const direct = () => window.open(directUrl, '_blank', 'noopener,noreferrer');
  const item = (label: string, Icon: LucideIcon, run: () => unknown, asks = false): MenuItem => ({
    label,
    icon: icon(Icon),
    run: () => void run(),
    asks,
  });
  const seldom = [
    folds && item(t('explorer.menu.download'), Download, download),
    folds && editable && item(t('explorer.preview.edit'), Pencil, edit),
    folds && shareable && item(t('explorer.menu.share'), Share2, share, true),
    item(t('explorer.menu.link'), Link2, link, true),
    directUrl !== undefined && item(t('explorer.preview.direct'), ExternalLink, direct),
    editable && item(t('explorer.preview.versions'), History, () => onOpen('versions')),
  ].filter((each) => each !== false);
  const tool = (label: string, Icon: LucideIcon, run: () => unknown): ReactNode =>
    inBar ? (
      <Button
        variant="quiet"
        className={shortClass}
        title={label}
        icon={icon(Icon)}
        disabled={!entry}
        onClick={run}
      >
        {label}
      </Button>
    ) : (
      <IconButton label={label} disabled={!entry} onClick={run}>
        {icon(Icon)}
      </IconButton>
    );
  return (
    <>
      {!inBar && (
        <Button variant="primary" icon={icon(Download)} disabled={!entry} onClick={download}>
          {t('explorer.menu.download')}
        </Button>
      )}
      {inBar && !folds && tool(t('explorer.menu.download'), Download, download)}
      {!folds && editable && tool(t('explorer.preview.edit'), Pencil, edit)}
      {!folds && shareable && tool(t('explorer.menu.share'), Share2, share)}
      <Menu
        label={t('explorer.preview.more')}
        items={seldom}
        button={(attributes) => (
          <IconButton {...attributes} label={t('explorer.preview.more')}>
            {icon(Ellipsis)}
          </IconButton>
        )}
      />
    </>
  );
}

/** takeFocus is where readers go on when the entry that was opened has gone with the listing. */
function takeFocus(heading: HTMLElement | null) {
  if (document.activeElement === document.body) heading?.focus({ preventScroll: true });
}

const ownEscape = 'input, select, textarea, [contenteditable], #pp-nav, [aria-controls="pp-nav"]';

const hasOwnEscape = (target: EventTarget | null) =>
  target instanceof Element && target.closest(ownEscape) !== null;
