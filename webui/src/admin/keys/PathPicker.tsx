import { ChevronDown, ChevronRight, Folder } from 'lucide-react';
import { useState } from 'react';
import { listFolder } from '../../api/fs';
import { useT } from '../../i18n';
import { Button, Dialog, ErrorPanel, IconButton, Skeleton } from '../../shared/ui';
import { useLoaded } from '../share/useLoaded';
import styles from './keys.module.css';

interface PathPickerProps {
  path: string;
  onChoose: (path: string) => void;
  onClose: () => void;
}

/** PathPicker chooses a folder of the mounts from a tree that is fetched as it is opened. */
export function PathPicker({ path, onChoose, onClose }: PathPickerProps) {
  const t = useT();
  const [chosen, setChosen] = useState(path);
  return (
    <Dialog
      title={t('admin.keys.choosePath')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button variant="primary" onClick={() => onChoose(chosen)}>
            {t('common.confirm')}
          </Button>
        </>
      }
    >
      <p role="status">{t('admin.keys.chosen', { path: chosen })}</p>
      <label className={styles.folder}>
        <input type="radio" name="folder" checked={chosen === '/'} onChange={() => setChosen('/')} />
        {t('admin.keys.useRoot')} <code>/</code>
      </label>
      <Level path="/" chosen={chosen} onChoose={setChosen} />
    </Dialog>
  );
}

interface LevelProps {
  path: string;
  chosen: string;
  onChoose: (path: string) => void;
}

function Level({ path, chosen, onChoose }: LevelProps) {
  const t = useT();
  const { value, error, retry } = useLoaded(path, (signal) => listFolder(path, false, signal));
  if (error !== undefined) return <ErrorPanel error={error} onRetry={retry} />;
  if (!value) return <Skeleton lines={2} />;
  const folders = value.items.filter((entry) => entry.isDirectory && entry.reachable !== false);
  if (folders.length === 0) return <p className={styles.none}>{t('admin.keys.noFolders')}</p>;
  return (
    <ul className={styles.level}>
      {folders.map((entry) => (
        <Branch
          key={entry.path}
          name={entry.name}
          path={entry.path.replace(/\/$/, '')}
          chosen={chosen}
          onChoose={onChoose}
        />
      ))}
    </ul>
  );
}

function Branch({ name, path, chosen, onChoose }: LevelProps & { name: string }) {
  const t = useT();
  const [open, setOpen] = useState(chosen.startsWith(`${path}/`));
  return (
    <li>
      <div className={styles.folder}>
        <IconButton
          label={t(open ? 'admin.keys.closeFolder' : 'admin.keys.openFolder', { name })}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? (
            <ChevronDown size={18} aria-hidden="true" />
          ) : (
            <ChevronRight size={18} aria-hidden="true" />
          )}
        </IconButton>
        <label className={styles.folder}>
          <input
            type="radio"
            name="folder"
            aria-label={t('admin.keys.useFolder', { name })}
            checked={chosen === path}
            onChange={() => onChoose(path)}
          />
          <Folder size={18} aria-hidden="true" />
          {name}
        </label>
      </div>
      {open && <Level path={path} chosen={chosen} onChoose={onChoose} />}
    </li>
  );
}
