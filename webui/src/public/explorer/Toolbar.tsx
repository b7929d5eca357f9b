import {
  Copy,
  Download,
  FolderInput,
  FolderPlus,
  LayoutGrid,
  List,
  ListChecks,
  RefreshCw,
  Search,
  Trash2,
  Upload,
  X,
} from 'lucide-react';
import { useSyncExternalStore } from 'react';
import type { Entry } from '../../api/fs';
import { useT } from '../../i18n';
import { Button, IconButton } from '../../shared/ui';
import type { Asked } from './asked';
import styles from './explorer.module.css';
import { setTaste, useTaste, type ViewMode } from './taste';
import { uploads } from './uploads';
import type { Rights } from './useRights';
import type { Selection } from './useSelection';
import { work } from './work';

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
}

const views: readonly { value: ViewMode; Icon: typeof List }[] = [
  { value: 'list', Icon: List },
  { value: 'grid', Icon: LayoutGrid },
];

/** Toolbar is the line of tools of a folder; a selection puts its own tools in their place. */
export function Toolbar(props: ToolbarProps) {
  const t = useT();
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={t('explorer.tools.label')}>
      {props.selection.entries.length > 0 ? <SelectionTools {...props} /> : <FolderTools {...props} />}
    </div>
  );
}

function FolderTools({ writable, busy, onAsk, onNewFolder, onRefresh }: ToolbarProps) {
  const t = useT();
  const { view } = useTaste();
  return (
    <>
      {writable && (
        <Button
          variant="primary"
          icon={<Upload size={18} aria-hidden="true" />}
          onClick={() => onAsk({ kind: 'upload' })}
        >
          {t('explorer.tools.upload')}
        </Button>
      )}
      {writable && (
        <Button
          className={styles.iconOnPhone ?? ''}
          aria-label={t('explorer.tools.newFolder')}
          icon={<FolderPlus size={18} aria-hidden="true" />}
          onClick={onNewFolder}
        >
          {t('explorer.tools.newFolder')}
        </Button>
      )}
      <span className={styles.gap} />
      <IconButton
        label={t('explorer.tools.search')}
        aria-keyshortcuts="Control+K"
        onClick={() => onAsk({ kind: 'search' })}
      >
        <Search size={20} aria-hidden="true" />
      </IconButton>
      <TasksButton onAsk={onAsk} />
      {views.map(({ value, Icon }) => (
        <IconButton
          key={value}
          label={t(`explorer.tools.${value}`)}
          aria-pressed={view === value}
          className={styles.view ?? ''}
          onClick={() => setTaste({ view: value })}
        >
          <Icon size={20} aria-hidden="true" />
        </IconButton>
      ))}
      <IconButton label={t('explorer.tools.refresh')} aria-busy={busy || undefined} onClick={onRefresh}>
        <RefreshCw size={20} aria-hidden="true" className={busy ? styles.turning : undefined} />
      </IconButton>
    </>
  );
}

function TasksButton({ onAsk }: Pick<ToolbarProps, 'onAsk'>) {
  const t = useT();
  const running = useSyncExternalStore(work.subscribe, work.running).size;
  const { totals } = useSyncExternalStore(uploads.subscribe, uploads.snapshot);
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
          label={running > 0 ? t('explorer.tools.tasksRunning', running) : t('explorer.tools.tasks')}
          onClick={() => onAsk({ kind: 'tasks' })}
        >
          <ListChecks size={20} aria-hidden="true" />
        </IconButton>
        {running > 0 && (
          <span className={styles.badge} aria-hidden="true">
            {running}
          </span>
        )}
      </span>
    </>
  );
}

function SelectionTools({ selection, rights, onAsk, onRemove, onDownload }: ToolbarProps) {
  const t = useT();
  const { entries } = selection;
  return (
    <>
      <strong className={styles.chosen} role="status">
        {t('explorer.select.count', entries.length)}
      </strong>
      <Button
        className={styles.iconOnPhone ?? ''}
        aria-label={t('explorer.menu.download')}
        icon={<Download size={18} aria-hidden="true" />}
        onClick={() => onDownload(entries)}
      >
        {t('explorer.menu.download')}
      </Button>
      {rights.copy && (
        <Button
          className={styles.iconOnPhone ?? ''}
          aria-label={t('explorer.select.copy')}
          icon={<Copy size={18} aria-hidden="true" />}
          onClick={() => onAsk({ kind: 'copy', entries })}
        >
          {t('explorer.select.copy')}
        </Button>
      )}
      {rights.move && (
        <Button
          className={styles.iconOnPhone ?? ''}
          aria-label={t('explorer.select.move')}
          icon={<FolderInput size={18} aria-hidden="true" />}
          onClick={() => onAsk({ kind: 'move', entries })}
        >
          {t('explorer.select.move')}
        </Button>
      )}
      {rights.remove && (
        <Button
          variant="danger"
          className={styles.iconOnPhone ?? ''}
          aria-label={t('common.delete')}
          icon={<Trash2 size={18} aria-hidden="true" />}
          onClick={onRemove}
        >
          {t('common.delete')}
        </Button>
      )}
      <span className={styles.gap} />
      <IconButton label={t('explorer.select.clear')} onClick={selection.clear}>
        <X size={20} aria-hidden="true" />
      </IconButton>
    </>
  );
}
