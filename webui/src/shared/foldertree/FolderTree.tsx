import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight, Folder, HardDrive } from 'lucide-react';
import { useState, type HTMLAttributes, type KeyboardEvent } from 'react';
import { folderQuery } from '../query/folders';
import styles from './foldertree.module.css';
import { cleanPath, nameOf } from './paths';

interface FolderTreeProps {
  /** label names the tree for assistive technology. */
  label: string;
  /** rootName is what "/" is called. */
  rootName: string;
  root: string;
  chosen: string;
  /** onChoose is told the folder, and whether it is one above the mounts. */
  onChoose: (path: string, virtual: boolean) => void;
  /** dropOn are the handlers of a branch that something can be dropped on. */
  dropOn?: (path: string, virtual: boolean) => HTMLAttributes<HTMLElement> | undefined;
}

/** FolderTree chooses a folder. The branches towards the chosen one are open at first; others are read when opened. */
export function FolderTree({ label, rootName, root, chosen, onChoose, dropOn }: FolderTreeProps) {
  function keys(event: KeyboardEvent<HTMLElement>) {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="treeitem"]')];
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
    <ul role="tree" aria-label={label} className={styles.tree} onKeyDown={keys}>
      <Branch
        path={root}
        name={root === '/' ? rootName : nameOf(root)}
        virtual={root === '/'}
        level={1}
        chosen={chosen}
        onChoose={onChoose}
        dropOn={dropOn}
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
  dropOn: FolderTreeProps['dropOn'];
}

function Branch({ path, name, virtual, level, chosen, onChoose, dropOn }: BranchProps) {
  const [open, setOpen] = useState(level === 1 || path === chosen || chosen.startsWith(`${path}/`));
  // The way to another folder that is chosen opens, and nothing closes by itself.
  const [seen, setSeen] = useState(chosen);
  if (seen !== chosen) {
    setSeen(chosen);
    if (chosen.startsWith(`${path}/`)) setOpen(true);
  }
  // Once it was opened a branch stays read.
  const [opened, setOpened] = useState(open);
  if (open && !opened) setOpened(true);
  const { data, isError } = useQuery({ ...folderQuery(path), enabled: opened });
  const folders = data
    ? data.listing.items.filter(({ isDirectory, reachable }) => isDirectory && reachable !== false)
    : isError
      ? []
      : undefined;
  const isChosen = path === chosen;
  const isVirtual = data?.listing.isVirtual ?? virtual;
  const leaf = folders?.length === 0;

  function keys(event: KeyboardEvent<HTMLElement>) {
    // Keys of the branches below bubble up through this one.
    if (event.target !== event.currentTarget) return;
    if (event.key === 'ArrowRight') setOpen(true);
    else if (event.key === 'ArrowLeft' && open && !leaf) setOpen(false);
    else if (event.key === 'ArrowLeft') {
      parentOf(event.currentTarget)?.focus();
    } else if (event.key === 'Enter' || event.key === ' ') onChoose(path, isVirtual);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const Twist = open ? ChevronDown : ChevronRight;
  return (
    <>
      <li
        role="treeitem"
        aria-level={level}
        aria-expanded={leaf ? undefined : open}
        aria-selected={isChosen}
        tabIndex={isChosen ? 0 : -1}
        onKeyDown={keys}
      >
        <div
          className={styles.branch}
          style={{ paddingInlineStart: `${(level - 1) * 20 + 4}px` }}
          onClick={() => onChoose(path, isVirtual)}
          {...dropOn?.(path, isVirtual)}
        >
          <span
            className={styles.twist}
            aria-hidden="true"
            onClick={(event) => {
              event.stopPropagation();
              setOpen(!open);
            }}
          >
            {!leaf && <Twist size={18} />}
          </span>
          {level === 1 ? <HardDrive size={18} /> : <Folder size={18} />}
          <span dir="auto">{name}</span>
        </div>
      </li>
      {open &&
        folders?.map((folder) => (
          <Branch
            key={folder.path}
            path={cleanPath(folder.path)}
            name={folder.name}
            virtual={Boolean(folder.isVirtual) && !folder.isMount}
            level={level + 1}
            chosen={chosen}
            onChoose={onChoose}
            dropOn={dropOn}
          />
        ))}
    </>
  );
}

/** parentOf is the branch above: the nearest one before it that stands less deep. */
function parentOf(branch: HTMLElement): HTMLElement | undefined {
  const level = (item: Element) => Number(item.getAttribute('aria-level'));
  let above = branch.previousElementSibling;
  while (above && level(above) >= level(branch)) above = above.previousElementSibling;
  return above instanceof HTMLElement ? above : undefined;
}
