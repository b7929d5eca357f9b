import { FolderPlus } from 'lucide-react';
import { useState } from 'react';
import { errorText } from '../../api/errorText';
import { makeFolder, type Conflict, type Entry } from '../../api/fs';
import { within } from '../../auth/permissions';
import { useT } from '../../i18n';
import { askText, Button, confirm, Dialog, Segmented } from '../../shared/ui';
import { nameProblem } from './entries';
import styles from './explorer.module.css';
import { FolderTree } from '../../shared/foldertree';
import { cleanPath, join } from './place';
import { recentTargets } from './recentTargets';
import { useTransfer } from './useTransfer';

interface TargetDialogProps {
  deed: 'copy' | 'move';
  entries: readonly Entry[];
  /** from is the folder they lie in. */
  from: string;
  base: string;
  onClose: () => void;
  onChanged: () => void;
}

const conflicts: readonly Conflict[] = ['skip', 'overwrite', 'rename'];

/** TargetDialog asks where entries are copied or moved to, and lets the server do it. */
export default function TargetDialog({ deed, entries, from, base, onClose, onChanged }: TargetDialogProps) {
  const t = useT();
  const transfer = useTransfer();
  const [target, setTarget] = useState(from);
  const [virtual, setVirtual] = useState(false);
  const [conflict, setConflict] = useState<Conflict>('skip');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [grown, setGrown] = useState(0);
  const recent = recentTargets.get().filter((path) => path !== target && within(base, path));

  const inside = entries.some(
    ({ path, isDirectory }) => isDirectory && (target === cleanPath(path) || target.startsWith(path)),
  );
  // A copy beside the original is what nobody can want to skip or to replace.
  const beside = target === from && deed === 'copy';
  const folders = entries.filter(({ isDirectory }) => isDirectory).length;

  async function start() {
    const sure =
      !inside ||
      (await confirm({
        title: t('explorer.target.insideTitle'),
        body: t('explorer.target.insideBody'),
        confirmLabel: t('explorer.target.confirm.copy'),
      }));
    if (!sure) return;
    setBusy(true);
    setProblem('');
    try {
      const { done } = await transfer(deed, entries, target, beside ? 'rename' : conflict);
      recentTargets.note(target);
      onClose();
      await done;
      onChanged();
    } catch (error) {
      setProblem(errorText(error, t));
      setBusy(false);
    }
  }

  async function newFolder() {
    const name = await askText({
      title: t('explorer.newFolder.title'),
      label: t('explorer.newFolder.label'),
      confirmLabel: t('explorer.newFolder.confirm'),
      validate: (value) => {
        const found = nameProblem(value.trim(), []);
        return found && t(`explorer.names.${found}`);
      },
    });
    if (!name) return;
    try {
      await makeFolder(`${join(target, name.trim())}/`);
      setGrown(grown + 1);
      setTarget(join(target, name.trim()));
    } catch (error) {
      setProblem(errorText(error, t));
    }
  }

  return (
    <Dialog
      title={
        entries.length === 1
          ? t(`explorer.target.titleOne.${deed}`, { name: entries[0]?.name })
          : t(`explorer.target.title.${deed}`, entries.length)
      }
      onClose={onClose}
      footer={
        <>
          <Button
            variant="quiet"
            icon={<FolderPlus size={18} />}
            disabled={virtual}
            onClick={() => void newFolder()}
          >
            {t('explorer.tools.newFolder')}
          </Button>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            variant="primary"
            busy={busy}
            disabled={virtual || (target === from && !beside) || (inside && deed === 'move')}
            onClick={() => void start()}
          >
            {t(`explorer.target.confirm.${deed}`)}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        {entries.length > 1 && (
          <p className={styles.status}>
            {folders > 0 && <span>{t('explorer.status.folders', folders)}</span>}
            {folders < entries.length && <span>{t('explorer.status.files', entries.length - folders)}</span>}
          </p>
        )}
        <p className={styles.target}>
          {t('explorer.target.to')} <strong>{target}</strong>
        </p>
        <FolderTree
          key={grown}
          label={t('explorer.target.tree')}
          rootName={t('explorer.root')}
          root={base}
          chosen={target}
          onChoose={(path, isVirtual) => {
            setTarget(path);
            setVirtual(isVirtual);
          }}
        />
        {recent.length > 0 && (
          <div className={styles.recent}>
            <span className={styles.hint}>{t('explorer.target.recent')}</span>
            {recent.map((path) => (
              <Button
                key={path}
                variant="quiet"
                onClick={() => {
                  setTarget(path);
                  setVirtual(false);
                  setGrown(grown + 1);
                }}
              >
                {path}
              </Button>
            ))}
          </div>
        )}
        <p className={styles.hint}>{t(`explorer.target.${beside ? 'beside' : 'conflict'}`)}</p>
        {!beside && (
          <Segmented
            label={t('explorer.target.conflict')}
            value={conflict}
            onChange={setConflict}
            choices={conflicts.map((value) => ({ value, label: t(`explorer.target.conflicts.${value}`) }))}
          />
        )}
        <p role="status" className={styles.warn}>
          {inside && t(deed === 'copy' ? 'explorer.target.inside' : 'explorer.target.insideMove')}
          {!inside && virtual && t('explorer.target.virtual')}
          {!inside && !virtual && target === from && !beside && t('explorer.target.same')}
        </p>
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      </div>
    </Dialog>
  );
}
