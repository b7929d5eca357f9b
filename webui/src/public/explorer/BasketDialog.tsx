import { ChevronDown, ChevronRight, Download, Share2, X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../../api/client';
import { errorText } from '../../api/errorText';
import { getEntry, zip } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { Button, confirm, Dialog, EmptyState, IconButton } from '../../shared/ui';
import { useStore } from '../../store';
import type { Asked } from './asked';
import { basket, type Kept } from './basket';
import { EntryIcon } from './EntryIcon';
import styles from './explorer.module.css';
import { followLink } from './followLink';
import { hrefOf, parentOf } from './place';
import { useRights } from './useRights';

interface BasketDialogProps {
  onClose: () => void;
  onAsk: (asked: Asked) => void;
}

/** BasketDialog shows what was collected, folder by folder, and packs it into one ZIP file. */
export default function BasketDialog({ onClose, onAsk }: BasketDialogProps) {
  const t = useT();
  const rights = useRights();
  const language = useLanguage();
  const kept = useStore(basket);
  const [first, ...others] = kept;
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const folders = [...new Set(kept.map(({ path }) => parentOf(path)))].sort();
  const files = kept.filter(({ isDirectory }) => !isDirectory);
  const size = kept.reduce((sum, one) => sum + (one.size ?? 0), 0);
  const unknown = kept.some((one) => one.size === null);

  function toggle(folder: string) {
    const next = new Set(closed);
    if (!next.delete(folder)) next.add(folder);
    setClosed(next);
  }

  async function clear() {
    const sure = await confirm({
      title: t('explorerDialogs.basket.clearTitle'),
      body: t('explorerDialogs.basket.clearBody', kept.length),
      confirmLabel: t('explorerDialogs.basket.clear'),
      danger: true,
    });
    if (sure) basket.clear();
  }

  async function pack() {
    setBusy(true);
    setProblem('');
    try {
      const lost = new Set(await unreadable(kept));
      setGone(lost);
      const paths = kept.map(({ path }) => path).filter((path) => !lost.has(path));
      if (paths.length === 0) setProblem(t('explorerDialogs.basket.allGone'));
      else {
        const { url, name } = await zip(paths, t('explorerDialogs.basket.fileName'));
        followLink(url, name);
      }
    } catch (error) {
      setProblem(errorText(error, t));
    }
    setBusy(false);
  }

  if (kept.length === 0) {
    return (
      <Dialog title={t('explorerDialogs.basket.title')} onClose={onClose}>
        <EmptyState title={t('explorerDialogs.basket.empty')} body={t('explorerDialogs.basket.hint')} />
      </Dialog>
    );
  }
  return (
    <Dialog
      wide
      title={t('explorerDialogs.basket.title')}
      onClose={onClose}
      footer={
        <>
          <Button variant="quiet" onClick={() => void clear()}>
            {t('explorerDialogs.basket.clear')}
          </Button>
          {rights.share && first && (
            <Button
              icon={<Share2 size={18} />}
              onClick={() => onAsk({ kind: 'shareAll', entries: [first, ...others] })}
            >
              {t('explorer.share.submit')}
            </Button>
          )}
          <Button
            variant="primary"
            busy={busy}
            data-autofocus=""
            icon={<Download size={18} />}
            onClick={() => void pack()}
          >
            {t('explorerDialogs.basket.pack')}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <div className={styles.sources}>
          <p className={styles.status} role="status">
            {files.length > 0 && <span>{t('explorerDialogs.basket.files', files.length)}</span>}
            {kept.length > files.length && (
              <span>{t('explorerDialogs.basket.folders', kept.length - files.length)}</span>
            )}
            <span>
              {unknown
                ? t('explorer.sizes.partial', { size: formatSize(size, language) })
                : formatSize(size, language)}
            </span>
          </p>
          <span className={styles.gap} />
          {folders.length > 1 && (
            <Button variant="quiet" onClick={() => setClosed(closed.size > 0 ? new Set() : new Set(folders))}>
              {t(closed.size > 0 ? 'explorerDialogs.basket.openAll' : 'explorerDialogs.basket.closeAll')}
            </Button>
          )}
        </div>
        <p role="alert" className={styles.problem}>
          {problem || (gone.size > 0 && t('explorerDialogs.basket.skipped', gone.size))}
        </p>
        {folders.map((folder) => {
          const open = !closed.has(folder);
          const Twist = open ? ChevronDown : ChevronRight;
          return (
            <section key={folder} className={styles.group}>
              <h3>
                <IconButton
                  label={t(open ? 'explorerDialogs.basket.close' : 'explorerDialogs.basket.open', { folder })}
                  aria-expanded={open}
                  onClick={() => toggle(folder)}
                >
                  <Twist size={18} />
                </IconButton>
                <Link href={hrefOf(folder)} onClick={onClose}>
                  {folder}
                </Link>
              </h3>
              {open && (
                <ul className={styles.uploads}>
                  {kept
                    .filter(({ path }) => parentOf(path) === folder)
                    .map((one) => (
                      <KeptLine key={one.path} kept={one} gone={gone.has(one.path)} />
                    ))}
                </ul>
              )}
            </section>
          );
        })}
      </div>
    </Dialog>
  );
}

function KeptLine({ kept, gone }: { kept: Kept; gone: boolean }) {
  const t = useT();
  const language = useLanguage();
  return (
    <li className={styles.upload}>
      <EntryIcon entry={kept} />
      <div className={styles.uploadBody}>
        <p dir="auto">{kept.name}</p>
        {gone && <p className={styles.warn}>{t('explorerDialogs.basket.gone')}</p>}
      </div>
      <span className={styles.facts}>{kept.size !== null && formatSize(kept.size, language)}</span>
      <IconButton
        label={t('explorerDialogs.basket.remove', { name: kept.name })}
        onClick={() => basket.remove([kept.path])}
      >
        <X size={20} />
      </IconButton>
    </li>
  );
}

/** Paths that are asked about at once. */
const atOnce = 6;

/** unreadable lists what this visitor cannot read any more: deleted, or not theirs now. */
async function unreadable(kept: readonly Kept[]): Promise<string[]> {
  const left = [...kept];
  const lost: string[] = [];
  const look = async () => {
    for (let one = left.pop(); one; one = left.pop()) {
      try {
        await getEntry(one.path);
      } catch (error) {
        const refused = error instanceof ApiError && [400, 403, 404].includes(error.status);
        if (refused) lost.push(one.path);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, look));
  return lost;
}
