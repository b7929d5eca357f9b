import { ChevronDown, ChevronRight, Folder, HardDrive } from 'lucide-react';
import { useEffect, useState, type KeyboardEvent } from 'react';
import { listFolder, type Entry } from '../../api/fs';
import { useT } from '../../i18n';
import styles from './explorer.module.css';
import { cleanPath, nameOf } from './place';

interface FolderTreeProps {
  root: string;
  chosen: string;
  /** onChoose is told the folder, and whether it is one above the mounts. */
  onChoose: (path: string, virtual: boolean) => void;
}

/** FolderTree chooses a folder. The branches towards the chosen one are open at first; others are read when opened. */
export function FolderTree({ root, chosen, onChoose }: FolderTreeProps) {
  const t = useT();

  function keys(event: KeyboardEvent<HTMLElement>) {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="treeitem"] > div')];
    const at = all.findIndex((item) => item === document.activeElement);
    const target = {
      ArrowDown: all[at + 1],
      ArrowUp: all[at - 1],
      Home: all[0],
      End: all[all.length - 1],
    }[event.key];
    if (!target) return;
    event.preventDefault();
    target.focus();
  }

  return (
    <ul role="tree" aria-label={t('explorer.target.tree')} className={styles.tree} onKeyDown={keys}>
      <Branch
        path={root}
        name={root === '/' ? t('explorer.root') : nameOf(root)}
        virtual={root === '/'}
        level={1}
        chosen={chosen}
        onChoose={onChoose}
      />
    </ul>
  );
}

interface BranchProps {
  path: string;
  name: string;
  /** virtual says that files cannot be put here; undefined while nobody knows. */
  virtual: boolean;
  level: number;
  chosen: string;
  onChoose: FolderTreeProps['onChoose'];
}

function Branch({ path, name, virtual, level, chosen, onChoose }: BranchProps) {
  const t = useT();
  const [open, setOpen] = useState(level === 1 || chosen.startsWith(path === '/' ? '/' : `${path}/`));
  const [read, setRead] = useState<{ folders?: Entry[]; virtual?: boolean }>({});
  const isChosen = path === chosen;
  const isVirtual = read.virtual ?? virtual;

  useEffect(() => {
    if (!open || read.folders) return;
    const leave = new AbortController();
    listFolder(path, false, leave.signal).then(
      (listing) =>
        setRead({
          folders: listing.items.filter(({ isDirectory, reachable }) => isDirectory && reachable !== false),
          virtual: listing.isVirtual,
        }),
      () => {
        if (!leave.signal.aborted) setRead({ folders: [] });
      },
    );
    return () => leave.abort();
  }, [open, path, read.folders]);

  function keys(event: KeyboardEvent) {
    if (event.key === 'ArrowRight') setOpen(true);
    else if (event.key === 'ArrowLeft') setOpen(false);
    else if (event.key === 'Enter' || event.key === ' ') onChoose(path, isVirtual);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const leaf = read.folders?.length === 0;
  return (
    <li role="treeitem" aria-level={level} aria-expanded={leaf ? undefined : open} aria-selected={isChosen}>
      <div
        tabIndex={isChosen || (level === 1 && !chosen.startsWith(path)) ? 0 : -1}
        className={styles.branch}
        style={{ paddingInlineStart: `${(level - 1) * 20 + 4}px` }}
        onKeyDown={keys}
        onClick={() => onChoose(path, isVirtual)}
      >
        <button
          type="button"
          tabIndex={-1}
          className={styles.twist}
          aria-label={t(open ? 'explorer.target.fold' : 'explorer.target.unfold', { name })}
          style={leaf ? { visibility: 'hidden' } : undefined}
          onClick={(event) => {
            event.stopPropagation();
            setOpen(!open);
          }}
        >
          {open ? (
            <ChevronDown size={18} aria-hidden="true" />
          ) : (
            <ChevronRight size={18} aria-hidden="true" />
          )}
        </button>
        {level === 1 ? <HardDrive size={18} aria-hidden="true" /> : <Folder size={18} aria-hidden="true" />}
        <span>{name}</span>
      </div>
      {open && read.folders && read.folders.length > 0 && (
        <ul role="group">
          {read.folders.map((folder) => (
            <Branch
              key={folder.path}
              path={cleanPath(folder.path)}
              name={folder.name}
              virtual={Boolean(folder.isVirtual) && !folder.isMount}
              level={level + 1}
              chosen={chosen}
              onChoose={onChoose}
            />
          ))}
        </ul>
      )}
    </li>
  );
}
