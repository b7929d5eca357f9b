import { ChevronDown, ChevronRight, Folder } from 'lucide-react';
import { useState } from 'react';
import { useT } from '../../i18n';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { useReading } from '../../shared/query/useReading';
import { Button, IconButton, Skeleton } from '../../shared/ui';
import { folderChoiceQuery } from '../data/queries';
import { Section } from '../form/PanelForm';
import styles from './keys.module.css';

interface PathTreeProps {
  path: string;
  onChoose: (path: string) => void;
  onConfirm: () => void;
  onCancel: () => void;
}

/** PathTree chooses a folder of the mounts from a tree that is fetched as it is opened. */
export function PathTree({ path, onChoose, onConfirm, onCancel }: PathTreeProps) {
  const t = useT();
  return (
    <Section title={t('admin.keys.choosePath')}>
      <p role="status" className={styles.chosen}>
        {t('admin.keys.chosen', { path })}
      </p>
      <div
        role="radiogroup"
        aria-label={t('admin.keys.choosePath')}
        className={styles.tree}
        onKeyDown={(event) => {
          // Enter in a field of a form would send the whole key.
          if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
          event.preventDefault();
          onConfirm();
        }}
      >
        <label className={styles.folder}>
          <input type="radio" name="folder" checked={path === '/'} onChange={() => onChoose('/')} />
          {t('admin.keys.useRoot')} <code>/</code>
        </label>
        <Level path="/" chosen={path} onChoose={onChoose} />
      </div>
      <div className={styles.buttons}>
        <Button variant="primary" onClick={onConfirm}>
          {t('admin.keys.confirmPath')}
        </Button>
        <Button onClick={onCancel}>{t('admin.keys.keepPath')}</Button>
      </div>
    </Section>
  );
}

interface LevelProps {
  path: string;
  chosen: string;
  onChoose: (path: string) => void;
}

function Level({ path, chosen, onChoose }: LevelProps) {
  const t = useT();
  const { data: value, error, retry } = useReading(folderChoiceQuery(path));
  if (error) return <ErrorPanel error={error} onRetry={retry} />;
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
          {open ? <ChevronDown size={18} /> : <ChevronRight size={18} />}
        </IconButton>
        <label className={styles.folder}>
          <input
            type="radio"
            name="folder"
            aria-label={t('admin.keys.useFolder', { name })}
            checked={chosen === path}
            onChange={() => onChoose(path)}
          />
          <Folder size={18} />
          {name}
        </label>
      </div>
      {open && <Level path={path} chosen={chosen} onChoose={onChoose} />}
    </li>
  );
}
