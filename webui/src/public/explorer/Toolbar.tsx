import {
  Copy,
  Download,
  FolderInput,
  FolderPlus,
  Images,
  LayoutGrid,
  List,
  ListChecks,
  PanelLeft,
  PanelRight,
  RefreshCw,
  Search,
  Share2,
  ShoppingBasket,
  SlidersHorizontal,
  Trash2,
  Upload,
  X,
  type LucideIcon,
} from 'lucide-react';
import type { Entry } from '../../api/fs';
import { useT } from '../../i18n';
import { Button, IconButton, Menu } from '../../shared/ui';
import { useStore } from '../../store';
import type { Asked } from './asked';
import { basket } from './basket';
import styles from './explorer.module.css';
import { setTaste, useTaste, viewModes } from './taste';
import { uploads } from '../../shared/uploader/uploads';
import type { Rights } from './useRights';
import type { Selection } from './useSelection';
import { running } from './work';

interface ToolbarProps {
  selection: Selection;
  rights: Rights;
  /** writable says that files can be put here. */
  writable: boolean;
  busy: boolean;
  onAsk: (asked: Asked) => void;
  onNewFolder: () => void;
  onRefresh: () => void;
  onRemove: () => void;
  onDownload: (entries: readonly Entry[]) => void;
  onCollect: (entries: readonly Entry[]) => void;
}

const viewIcons = { list: List, grid: LayoutGrid, gallery: Images };

/** Toolbar is the line of tools of a folder; a selection puts its own tools in their place. */
export function Toolbar(props: ToolbarProps) {
  const t = useT();
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={t('explorer.tools.label')}>
      {props.selection.entries.length > 0 ? <SelectionTools {...props} /> : <FolderTools {...props} />}
    </div>
  );
}

/** FindButton opens the search; it stands beside the page's title. */
export function FindButton({ onAsk }: Pick<ToolbarProps, 'onAsk'>) {
  const t = useT();
  return (
    <Button
      className={`${styles.find} ${styles.iconOnPhone}`}
      aria-label={t('explorer.tools.search')}
      aria-keyshortcuts="Control+K Meta+K"
      icon={<Search size={18} />}
      onClick={() => onAsk({ kind: 'search' })}
    >
      {t('explorer.tools.search')}
      <kbd data-keys={isApple ? '⌘ K' : 'Ctrl K'} aria-hidden="true" />
    </Button>
  );
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

function FolderTools({ writable, busy, onAsk, onNewFolder, onRefresh }: ToolbarProps) {
  const t = useT();
  return (
    <>
      {writable && (
        <Button variant="primary" icon={<Upload size={18} />} onClick={() => onAsk({ kind: 'upload' })}>
          {t('explorer.tools.upload')}
        </Button>
      )}
      {writable && (
        <Button
          className={styles.iconOnPhone ?? ''}
          aria-label={t('explorer.tools.newFolder')}
          icon={<FolderPlus size={18} />}
          onClick={onNewFolder}
        >
          {t('explorer.tools.newFolder')}
        </Button>
      )}
      <span className={styles.gap} />
      <BasketButton onAsk={onAsk} />
      <TasksButton onAsk={onAsk} />
      <ViewTools onAsk={onAsk} onRefresh={onRefresh} />
      <IconButton
        className={styles.notOnPhone ?? ''}
        label={t('explorer.tools.refresh')}
        aria-busy={busy || undefined}
        onClick={onRefresh}
      >
        <RefreshCw size={20} className={busy ? styles.turning : undefined} />
      </IconButton>
    </>
  );
}

/** ViewTools choose how the folder is looked at: buttons where there is room, one menu on phones. */
function ViewTools({ onAsk, onRefresh }: Pick<ToolbarProps, 'onAsk' | 'onRefresh'>) {
  const t = useT();
  const taste = useTaste();
  const { view } = taste;
  const Icon = viewIcons[view];
  const options = { label: t('explorer.view.title'), run: () => onAsk({ kind: 'view' }) };
  return (
    <>
      <span className={styles.views}>
        {viewModes.map((mode) => {
          const ModeIcon = viewIcons[mode];
          return (
            <IconButton
              key={mode}
              label={t(`explorer.tools.${mode}`)}
              aria-pressed={view === mode}
              onClick={() => setTaste({ view: mode })}
            >
              <ModeIcon size={20} />
            </IconButton>
          );
        })}
        <span className={styles.paneTools}>
          {(['tree', 'details'] as const).map((pane) => {
            const PaneIcon = { tree: PanelLeft, details: PanelRight }[pane];
            return (
              <IconButton
                key={pane}
                label={t(`explorer.panes.${pane}`)}
                aria-pressed={taste[pane]}
                onClick={() => setTaste({ [pane]: !taste[pane] })}
              >
                <PaneIcon size={20} />
              </IconButton>
            );
          })}
        </span>
        <IconButton label={options.label} onClick={options.run}>
          <SlidersHorizontal size={20} />
        </IconButton>
      </span>
      <span className={styles.viewMenu}>
        <Menu
          label={t('explorer.tools.view')}
          items={[
            ...viewModes.map((mode) => ({
              label: t(`explorer.tools.${mode}`),
              checked: view === mode,
              run: () => setTaste({ view: mode }),
            })),
            { ...options, apart: true },
            { label: t('explorer.tools.refresh'), run: onRefresh },
          ]}
          button={(attributes) => (
            <IconButton label={t('explorer.tools.view')} {...attributes}>
              <Icon size={20} />
            </IconButton>
          )}
        />
      </span>
    </>
  );
}

function BasketButton({ onAsk }: Pick<ToolbarProps, 'onAsk'>) {
  const t = useT();
  const count = useStore(basket).length;
  return (
    <span className={styles.tasks}>
      <IconButton
        label={count > 0 ? t('explorer.tools.basketOf', count) : t('explorer.tools.basket')}
        onClick={() => onAsk({ kind: 'basket' })}
      >
        <ShoppingBasket size={20} />
      </IconButton>
      <Badge count={count} />
    </span>
  );
}

function Badge({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span className={styles.badge} aria-hidden="true">
      {count > 99 ? '99+' : count}
    </span>
  );
}

function TasksButton({ onAsk }: Pick<ToolbarProps, 'onAsk'>) {
  const t = useT();
  const count = useStore(running);
  const { totals } = useStore(uploads);
  const percent = totals.bytes > 0 ? Math.floor((totals.sent / totals.bytes) * 100) : 0;
  return (
    <>
      {totals.active && (
        <Button variant="quiet" onClick={() => onAsk({ kind: 'upload' })}>
          {t('explorer.tools.uploading', { percent })}
        </Button>
      )}
      <span className={styles.tasks}>
        <IconButton
          label={count > 0 ? t('explorer.tools.tasksRunning', count) : t('explorer.tools.tasks')}
          onClick={() => onAsk({ kind: 'tasks' })}
        >
          <ListChecks size={20} />
        </IconButton>
        <Badge count={count} />
      </span>
    </>
  );
}

function SelectionTools({ selection, rights, onAsk, onRemove, onDownload, onCollect }: ToolbarProps) {
  const t = useT();
  const { entries } = selection;
  const [first, ...others] = entries;
  const count = entries.length;
  return (
    <>
      <strong className={styles.chosen} role="status">
        {t('explorer.select.count', count)}
      </strong>
      <Tool label={t('explorer.menu.download')} icon={Download} run={() => onDownload(entries)} />
      <Tool rare label={t('explorer.select.collect')} icon={ShoppingBasket} run={() => onCollect(entries)} />
      {rights.share && first && (
        <Tool
          label={t('explorer.menu.share')}
          icon={Share2}
          run={() => onAsk({ kind: 'shareAll', entries: [first, ...others] })}
        />
      )}
      {rights.copy && (
        <Tool
          rare
          label={t('explorer.select.copyOf', count)}
          icon={Copy}
          run={() => onAsk({ kind: 'copy', entries })}
        />
      )}
      {rights.move && (
        <Tool
          rare
          label={t('explorer.select.moveOf', count)}
          icon={FolderInput}
          run={() => onAsk({ kind: 'move', entries })}
        />
      )}
      {rights.remove && (
        <Tool danger label={t('explorer.select.removeOf', count)} icon={Trash2} run={onRemove} />
      )}
      <span className={styles.gap} />
      <IconButton
        className={styles.notOnPhone ?? ''}
        label={t('explorer.select.clear')}
        onClick={selection.clear}
      >
        <X size={20} />
      </IconButton>
    </>
  );
}

interface ToolProps {
  label: string;
  icon: LucideIcon;
  run: () => void;
  /** rare tools give their words up first where the line is narrow. */
  rare?: boolean;
  danger?: boolean;
}

/** Tool is something to do with a selection. */
function Tool({ label, icon: Icon, run, rare, danger }: ToolProps) {
  return (
    <Button
      variant={danger ? 'danger' : 'plain'}
      className={`${styles.iconOnPhone} ${rare ? styles.rare : ''}`}
      aria-label={label}
      title={label}
      icon={<Icon size={18} />}
      onClick={run}
    >
      {label}
    </Button>
  );
}
