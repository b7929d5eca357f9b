import {
  ArrowLeft,
  ChevronLeft,
  ChevronRight,
  Download,
  ExternalLink,
  History,
  Link2,
  Pencil,
  Share2,
} from 'lucide-react';
import { Suspense, useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { Entry } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { opensInBrowser } from '../../shared/preview/kind';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { entryChanged, entryQuery } from '../../shared/query/folders';
import { useReading } from '../../shared/query/useReading';
import { Button, buttonClass, IconButton, Skeleton, Time } from '../../shared/ui';
import { useListener } from '../../hooks/useListener';
import { aroundOf, previewed } from './around';
import type { Asked } from './asked';
import { isEditable, kindOf } from './entries';
import styles from './explorer.module.css';
import { lazyPart } from '../../shared/lazyPart';
import { hrefOf, nameOf, parentOf } from './place';
import { EntryMark } from './EntryControls';
import type { Marks } from './useMarks';
import { useRights } from './useRights';

const FilePreview = lazyPart(async () => ({ default: (await import('../../shared/preview')).FilePreview }));

const VersionsDialog = lazyPart(() => import('./VersionsDialog'), 'revisions');
const EditPane = lazyPart(() => import('./edit/EditPane'), 'explorerEdit');

interface PreviewPaneProps {
  /** path of the file. */
  path: string;
  /** siblings are the entries of its folder in the order of the listing. */
  siblings: readonly Entry[];
  marks: Marks;
  onDownload: (entry: Entry) => void;
  onAsk: (asked: Asked) => void;
  /** onSaved is told when the file has another content. */
  onSaved: () => void;
}

/** PreviewPane shows a file of a folder, with the way to the files beside it. */
export function PreviewPane({ path, siblings, marks, onDownload, onAsk, onSaved }: PreviewPaneProps) {
  const t = useT();
  const language = useLanguage();
  const rights = useRights();
  const [, go] = useLocation();
  const [editing, setEditing] = useState(false);
  const [versions, setVersions] = useState(false);
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

  const editable = rights.upload && facts && isEditable(facts);
  const entry: Entry | undefined = facts && { ...facts, path, isDirectory: false };
  return (
    <article className={styles.preview}>
      <div className={styles.toolbar}>
        <Link href={hrefOf(folder)} className={buttonClass()}>
          <ArrowLeft size={18} aria-hidden="true" />
          {t('explorer.preview.back')}
        </Link>
        <span className={styles.gap} />
        {!editing && (
          <>
            <IconButton label={t('explorer.preview.previous')} disabled={at <= 0} onClick={() => step(-1)}>
              <ChevronLeft size={20} aria-hidden="true" />
            </IconButton>
            <IconButton
              label={t('explorer.preview.next')}
              disabled={at < 0 || at >= files.length - 1}
              onClick={() => step(1)}
            >
              <ChevronRight size={20} aria-hidden="true" />
            </IconButton>
          </>
        )}
      </div>
      <header className={styles.previewHead}>
        <div>
          <h2 ref={takeFocus} tabIndex={-1}>
            {nameOf(path)}
          </h2>
          <p className={styles.facts}>
            {facts && !facts.isDirectory ? (
              <>
                {formatSize(facts.size, language)} · {facts.contentType}
                {facts.modified && (
                  <>
                    {' · '}
                    <Time value={facts.modified} />
                  </>
                )}
                {entry && (
                  <EntryMark
                    entry={entry}
                    marks={marks}
                    onMark={(marked) => onAsk({ kind: 'shares', entry: marked })}
                  />
                )}
              </>
            ) : (
              ' '
            )}
          </p>
        </div>
        {!editing && (
          <div className={styles.previewTools}>
            <Button
              variant="primary"
              icon={<Download size={18} aria-hidden="true" />}
              disabled={!entry}
              onClick={() => entry && onDownload(entry)}
            >
              {t('explorer.menu.download')}
            </Button>
            {editable && (
              <Button
                className={styles.sign ?? ''}
                aria-label={t('explorer.preview.edit')}
                icon={<Pencil size={18} aria-hidden="true" />}
                onClick={() => setEditing(true)}
              >
                {t('explorer.preview.edit')}
              </Button>
            )}
            {editable && (
              <Button
                className={styles.sign ?? ''}
                aria-label={t('explorer.preview.versions')}
                icon={<History size={18} aria-hidden="true" />}
                onClick={() => setVersions(true)}
              >
                {t('explorer.preview.versions')}
              </Button>
            )}
            {facts?.preview_url && opensInBrowser(kindOf(facts)) && (
              <a
                className={`${buttonClass()} ${styles.sign ?? ''}`}
                aria-label={t('explorer.preview.direct')}
                href={facts.preview_url}
                target="_blank"
                rel="noopener noreferrer"
              >
                <ExternalLink size={18} aria-hidden="true" />
                <span>{t('explorer.preview.direct')}</span>
              </a>
            )}
            <Button
              className={styles.sign ?? ''}
              aria-label={t('explorer.menu.link')}
              icon={<Link2 size={18} aria-hidden="true" />}
              disabled={!entry}
              onClick={() => entry && onAsk({ kind: 'link', entry })}
            >
              {t('explorer.menu.link')}
            </Button>
            {rights.share && (
              <Button
                className={styles.sign ?? ''}
                aria-label={t('explorer.menu.share')}
                icon={<Share2 size={18} aria-hidden="true" />}
                disabled={!entry}
                onClick={() => entry && onAsk({ kind: 'share', entry })}
              >
                {t('explorer.menu.share')}
              </Button>
            )}
          </div>
        )}
      </header>
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
              setEditing(false);
              if (saved) changed();
            }}
          />
        </Suspense>
      )}
      {facts && !editing && (
        <Suspense fallback={<Skeleton height={320} />}>
          <FilePreview file={previewed(facts, path)} around={around} />
        </Suspense>
      )}
      {versions && (
        <Suspense fallback={null}>
          <VersionsDialog
            path={path}
            onRestored={() => {
              setVersions(false);
              changed();
            }}
            onClose={() => setVersions(false)}
          />
        </Suspense>
      )}
    </article>
  );
}

/** takeFocus is where readers go on when the entry that was opened has gone with the listing. */
function takeFocus(heading: HTMLElement | null) {
  if (document.activeElement === document.body) heading?.focus({ preventScroll: true });
}

const ownEscape = 'input, select, textarea, [contenteditable], #pp-nav, [aria-controls="pp-nav"]';

const hasOwnEscape = (target: EventTarget | null) =>
  target instanceof Element && target.closest(ownEscape) !== null;
