import { FolderOpen, HardDrive, Upload } from 'lucide-react';
import { Suspense, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { Link } from 'wouter';
import type { Entry } from '../../api/fs';
import { useSession } from '../../auth/session';
import { useLanguage, useT } from '../../i18n';
import { folderChanged, marksChanged } from '../../shared/query/folders';
import { Button, buttonClass, EmptyState, Skeleton } from '../../shared/ui';
import { useListener } from '../../hooks/useListener';
import { nothingToDrag, useMedia } from '../../hooks/useMedia';
import { usePageDrops } from '../../shared/uploader/usePageDrops';
import { useStore } from '../../store';
import type { Asked } from './asked';
import { Crumbs } from './Crumbs';
import { Dialogs } from './Dialogs';
import { sortEntries } from './entries';
import styles from './explorer.module.css';
import { FolderMark } from './EntryControls';
import { FolderProblem } from './FolderProblem';
import type { ListingViewProps } from './listingView';
import { whenIdle } from '../../shared/idle';
import { lazyPart } from '../../shared/lazyPart';
import { ListView } from './ListView';
import type { MenuScene } from './menuOf';
import { join, nameOf, parentOf, type Place } from './place';
import { readmeOf } from './readme';
import { StatusLine } from './StatusLine';
import { roomForPanes, useTaste } from './taste';
import { TileView } from './TileView';
import { FindButton, Toolbar } from './Toolbar';
import { uploads } from '../../shared/uploader/uploads';
import { useCommands } from './useCommands';
import { useFolder } from './useFolder';
import { useFolderSizes } from './useFolderSizes';
import { countOf, useMarks } from './useMarks';
import { useUploadsEnd } from './useUploadsEnd';
import type { Point } from './useLongPress';
import { useRights } from './useRights';
import { useSelection } from './useSelection';

const GalleryView = lazyPart(() => import('./GalleryView'), 'explorerDialogs');
// A file or a menu of the folder is opened soon, so both come as soon as the page is idle.
const opened = () => import('./opened');
const EntryMenu = lazyPart(async () => ({ default: (await opened()).EntryMenu }));
const PreviewPane = lazyPart(async () => ({ default: (await opened()).PreviewPane }));
const DetailsPane = lazyPart(() => import('./DetailsPane'), 'explorerDialogs');
const ReadmePanel = lazyPart(() => import('./ReadmePanel'));

interface FolderPageProps {
  place: Place;
  /** base is the folder above which this visitor cannot go. */
  base: string;
}

const nothing: readonly Entry[] = [];

// Where a visitor who moves by keyboard comes from, so that the focus follows them.
let cameFrom = '';

/** FolderPage is one folder: its tools, its way up, what lies in it, and the dialogs about that. */
export function FolderPage({ place: { path, preview }, base }: FolderPageProps) {
  const t = useT();
  const language = useLanguage();
  const session = useSession();
  const rights = useRights();
  const { view, sort, readme: wantsReadme, details } = useTaste();
  const wide = useMedia(roomForPanes);
  const folder = useFolder(path);
  const [asked, setAsked] = useState<Asked>();
  const [menu, setMenu] = useState<{ entry: Entry; at: Point }>();
  const [from] = useState(cameFrom);
  // Who walks through the tree stays in it.
  const [fromTree] = useState(() => Boolean(document.activeElement?.closest('[role="tree"]')));
  // Who comes back from a file goes on at its entry.
  const [seen, setSeen] = useState({ name: '', view });
  if (preview && preview !== seen.name) setSeen({ name: preview, view });
  const back = seen.view === view ? seen.name : '';
  const listing = folder.kept?.listing;
  const items = listing?.items ?? nothing;
  const entries = useMemo(() => sortEntries(items, sort, language), [items, sort, language]);
  const selection = useSelection(entries);
  const sizes = useFolderSizes();
  const virtual = listing?.isVirtual ?? path === '/';
  const marks = useMarks(path, rights.share && !virtual && listing !== undefined);
  const commands = useCommands({ path, items, base, ask: setAsked });
  const reload = (fresh = false) => void folderChanged(path, fresh);
  const writable = rights.upload && !virtual;

  useEffect(() => {
    cameFrom = path;
    return whenIdle(() => void Promise.all([PreviewPane.prepare(), EntryMenu.prepare()]));
  }, [path]);

  const over = usePageDrops((files) => {
    if (!writable) return;
    uploads.add(files.map((chosen) => ({ ...chosen, to: 'mount', folder: folderOf(path, chosen.folder) })));
    setAsked({ kind: 'upload' });
  });

  useShortcuts({
    search: () => setAsked({ kind: 'search' }),
    goTo: () => void commands.goTo(),
  });
  // What could not be read while there was no network is read again.
  useListener('online', () => reload());
  useUploadsHere(path, reload);
  useUploadsEnd(asked?.kind === 'upload' || asked?.kind === 'tasks');

  const View = { list: ListView, grid: TileView, gallery: GalleryView }[view];
  const readme = wantsReadme ? readmeOf(items) : undefined;
  const parent = path === base ? '' : parentOf(path);
  const startAt = Math.max(
    0,
    entries.findIndex(({ name }) => name === (back || (parentOf(from) === path && nameOf(from)))),
  );
  const listed: ListingViewProps = {
    path,
    entries,
    selection,
    actions: {
      open: commands.open,
      up: commands.up,
      rename: (entry) => rights.rename && !entry.isVirtual && void commands.rename(entry),
      remove: (entry) => {
        const chosen = selection.has(entry) ? selection.entries : [entry];
        if (rights.remove && !entry.isVirtual) void commands.remove(chosen);
      },
    },
    onMenu: (entry, at) => setMenu(entry && at && { entry, at }),
    onDrop: rights.move
      ? (target, dragged, asCopy) => commands.transfer(dragged, target, asCopy && rights.copy)
      : undefined,
    sizes: sizes.texts,
    marks,
    onMark: (entry) => setAsked({ kind: 'shares', entry }),
    startAt,
    focusAtStart: back !== '' || (!fromTree && from !== ''),
  };

  const dialogs = (
    <Dialogs
      asked={asked}
      path={path}
      base={base}
      listing={listing}
      marks={marks}
      onShared={() => void marksChanged(path)}
      onClose={() => setAsked(undefined)}
      onAsk={setAsked}
      onChanged={() => {
        selection.clear();
        reload();
      }}
    />
  );

  if (preview) {
    return (
      <>
        <Suspense fallback={<Skeleton height={480} />}>
          <PreviewPane
            path={join(path, preview)}
            crumbs={(headingRef) => (
              <Crumbs
                path={path}
                base={base}
                file={preview}
                headingRef={headingRef}
                onType={() => void commands.goTo()}
              />
            )}
            siblings={entries}
            marks={marks}
            onDownload={(entry) => void commands.download(entry)}
            onAsk={setAsked}
            onSaved={reload}
          />
        </Suspense>
        {dialogs}
      </>
    );
  }
  return (
    <>
      <div className={styles.pathBar}>
        <Crumbs path={path} base={base} onType={() => void commands.goTo()} />
        <FolderMark
          marks={marks}
          onMark={() => setAsked({ kind: 'shares', entry: { name: nameOf(path), path, isDirectory: true } })}
        />
        {!virtual && entries.length > 0 && (
          <Button
            variant="quiet"
            onClick={() => (selection.selecting ? selection.clear() : selection.start())}
          >
            {t(selection.selecting ? 'explorer.select.end' : 'explorer.select.start')}
          </Button>
        )}
      </div>
      <FindButton onAsk={setAsked} />
      <Toolbar
        selection={selection}
        rights={rights}
        writable={writable}
        busy={folder.busy}
        onAsk={setAsked}
        onNewFolder={() => void commands.newFolder()}
        onRefresh={() => {
          sizes.clear();
          reload(true);
        }}
        onCollect={commands.collect}
        onRemove={() => void commands.remove(selection.entries)}
        onDownload={(chosen) => {
          const [first] = chosen;
          if (chosen.length === 1 && first && !first.isDirectory) void commands.download(first);
          else void commands.downloadAll(chosen);
        }}
      />
      {folder.failed && (
        <FolderProblem
          error={folder.error}
          path={path}
          base={base}
          parent={parent}
          compact={listing !== undefined}
          onRetry={() => reload(true)}
        />
      )}
      {!listing && !folder.failed && <Skeleton height={440} />}
      {listing && entries.length === 0 && !folder.failed && (
        <EmptyFolder
          root={virtual}
          admin={session.kind === 'admin'}
          onUpload={writable ? () => setAsked({ kind: 'upload' }) : undefined}
        />
      )}
      {entries.length > 0 && (
        <div className={styles.panes}>
          <div className={styles.main}>
            <Suspense fallback={<Skeleton height={440} />}>
              <View {...listed} />
            </Suspense>
          </div>
          {wide && details && (
            <Suspense fallback={<Skeleton height={440} />}>
              <DetailsPane
                entries={selection.entries}
                marks={marks}
                onOpen={commands.open}
                onAsk={setAsked}
              />
            </Suspense>
          )}
        </div>
      )}
      {folder.kept && entries.length > 0 && <StatusLine kept={folder.kept} />}
      {readme && (
        <Suspense fallback={null}>
          <ReadmePanel entry={readme} />
        </Suspense>
      )}
      {menu && (
        <Suspense fallback={null}>
          <EntryMenu scene={sceneOf(menu.entry)} at={menu.at} onClose={() => setMenu(undefined)} />
        </Suspense>
      )}
      {over && writable && (
        <div className={styles.overlay} aria-hidden="true">
          <p>{t('explorer.upload.drop', { path })}</p>
        </div>
      )}
      {dialogs}
    </>
  );

  function sceneOf(entry: Entry): Omit<MenuScene, 't'> {
    const chosen = selection.has(entry) ? selection.entries : [entry];
    const shares = countOf(marks, entry.name);
    return { entry, chosen, rights, commands, selection, sizes, shares, ask: setAsked };
  }
}

/** folderOf is where a chosen file goes: the folder on the screen, and below it the file's own. */
export const folderOf = (path: string, below: string) => (below ? join(path, below) : path);

function EmptyFolder({
  root,
  admin,
  onUpload,
}: {
  root: boolean;
  admin: boolean;
  onUpload: (() => void) | undefined;
}) {
  const t = useT();
  const touch = useMedia(nothingToDrag);
  if (root) {
    return (
      <EmptyState
        whole
        icon={<HardDrive size={28} />}
        title={t('explorer.empty.root')}
        body={t(admin ? 'explorer.empty.rootAdmin' : 'explorer.empty.rootKey')}
        action={
          admin && (
            <Link href="/admin/mount-management/create" className={buttonClass('primary')}>
              {t('explorer.empty.addMount')}
            </Link>
          )
        }
      />
    );
  }
  return (
    <EmptyState
      whole
      icon={<FolderOpen size={28} />}
      title={t('explorer.empty.folder')}
      body={onUpload && !touch && t('explorer.empty.folderHint')}
      action={
        onUpload && (
          <Button variant="primary" icon={<Upload size={18} />} onClick={onUpload}>
            {t('explorer.tools.upload')}
          </Button>
        )
      }
    />
  );
}

/** useShortcuts are the keys of the whole page: Ctrl+K searches, Ctrl+L asks for a path. */
function useShortcuts({ search, goTo }: { search: () => void; goTo: () => void }) {
  useListener('keydown', (event) => {
    // A dialog is a place of its own.
    if (event.altKey || document.querySelector('dialog[open]')) return;
    const command = (event.ctrlKey || event.metaKey) && !event.shiftKey;
    const deed = command ? { k: search, l: goTo }[event.key.toLowerCase()] : undefined;
    if (!deed) return;
    event.preventDefault();
    deed();
  });
}

/** useUploadsHere reads the folder again when files have arrived in it. */
function useUploadsHere(path: string, reload: () => void) {
  const { items } = useStore(uploads);
  const here = items.filter(
    ({ to, status, folder }) =>
      to === 'mount' && status === 'success' && (folder === path || parentOf(folder) === path),
  ).length;
  const arrived = useEffectEvent(reload);
  useEffect(() => {
    if (here > 0) arrived();
  }, [here]);
}
