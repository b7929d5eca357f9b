import { FolderUp, Pause, Play, Upload } from 'lucide-react';
import { useEffect, useRef, useState, type ChangeEvent } from 'react';
import { Link } from 'wouter';
import type { Entry } from '../../api/fs';
import { useSession } from '../../auth/session';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { Button, Dialog, Segmented, SelectField } from '../../shared/ui';
import {
  inPartsFrom,
  resumable,
  unfinished,
  type MountTarget,
  type Resumable,
  type UploadItem,
  type UploadMethod,
  type UploadTotals,
} from '../../shared/uploader';
import { formatDuration } from '../../shared/uploader/duration';
import { fromInput } from '../../shared/uploader/sources';
import { useStore } from '../../store';
import { cutTransfers } from './cutTransfers';
import { freeName } from './entries';
import styles from './explorer.module.css';
import { join } from './place';
import { ResumeDialog, type ResumeAnswer } from './ResumeDialog';
import { UploadLine, type Clash } from './UploadLine';
import { refusals, send, uploads, ways } from './uploads';
import { useTaken } from './useTaken';

interface UploadDialogProps {
  /** path of the folder that files go to. */
  path: string;
  /** taken is what lies there already. */
  taken: readonly Entry[];
  onClose: () => void;
}

type Item = UploadItem<MountTarget>;

const methods: readonly UploadMethod[] = ['auto', 'presigned', 'direct', 'parts'];
const clashes: readonly Clash[] = ['replace', 'both', 'skip'];

/** UploadDialog puts files into a folder. Closing it stops nothing. */
export default function UploadDialog({ path, taken, onClose }: UploadDialogProps) {
  const t = useT();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const { items, totals } = useStore(uploads);
  const [all, setAll] = useState<Clash>('replace');
  const [single, setSingle] = useState<ReadonlyMap<number, Clash>>(new Map());
  const [method, setMethod] = useState<UploadMethod>('auto');
  const [busy, setBusy] = useState(false);
  const [asked, setAsked] = useState<{
    item: Item;
    found: readonly Resumable[];
    answer: (choice: ResumeAnswer) => void;
  }>();
  const admin = useSession().kind === 'admin';
  const pending = items.filter(({ status }) => status === 'pending');
  const paused = items.filter(({ status }) => status === 'paused').length;
  const namesIn = useTaken(
    path,
    taken,
    pending.map((item) => item.folder),
  );
  const goesOn = ({ file, folder: at, name }: Item) =>
    file.size >= inPartsFrom && unfinished(file, { folder: at, name }) !== undefined;
  const isTaken = (item: Item) =>
    namesIn(item.folder).has(item.name) ||
    pending.some((other) => other.id < item.id && other.folder === item.folder && other.name === item.name);
  const clashing = pending.filter((item) => !goesOn(item) && isTaken(item));
  const clashOf = ({ id }: Item) => single.get(id) ?? all;

  useEffect(() => {
    // React has no property for it.
    folder.current?.setAttribute('webkitdirectory', '');
  }, []);

  /** begin settles names and unfinished uploads, then sends. */
  async function begin() {
    cutTransfers.watch();
    setBusy(true);
    for (const item of clashing) {
      const choice = clashOf(item);
      if (choice === 'skip') uploads.remove(item.id);
      if (choice === 'both') {
        const others = new Set(
          pending.filter((other) => other.folder === item.folder).map(({ name }) => name),
        );
        uploads.rename(
          item.id,
          freeName(item.name, (name) => namesIn(item.folder).has(name) || others.has(name)),
        );
      }
    }
    for (const item of uploads.get().items.filter(({ status }) => status === 'pending')) {
      ways.set(item.id, { method });
      await askResume(item);
    }
    setBusy(false);
    uploads.start(send);
  }

  /** askResume asks whether a file goes on with an upload that somebody has begun and not ended. */
  async function askResume(item: Item) {
    const inParts = method === 'parts' || (method === 'auto' && item.file.size >= inPartsFrom);
    if (!inParts || goesOn(item)) return;
    const found = await resumable(item.file, { folder: item.folder, name: item.name }).catch(() => []);
    if (found.length === 0) return;
    const choice = await new Promise<ResumeAnswer>((answer) => setAsked({ item, found, answer }));
    setAsked(undefined);
    if (choice === 'cancel') uploads.remove(item.id);
    else if (choice !== 'anew') ways.set(item.id, { method, resume: choice });
  }

  const input = {
    type: 'file',
    multiple: true,
    hidden: true,
    tabIndex: -1,
    onChange(event: ChangeEvent<HTMLInputElement>) {
      const chosen = fromInput(event.target.files);
      uploads.add(
        chosen.map(({ file, folder: below }) => ({ file, folder: below ? join(path, below) : path })),
      );
      event.target.value = '';
    },
  } as const;

  if (asked) return <ResumeDialog name={asked.item.name} found={asked.found} onAnswer={asked.answer} />;
  return (
    <Dialog
      wide
      title={t('explorer.upload.title')}
      onClose={onClose}
      footer={
        <>
          {totals.active && (
            <>
              <Button variant="quiet" onClick={() => uploads.cancelAll()}>
                {t('file.list.cancelAll')}
              </Button>
              <Button icon={<Pause size={18} aria-hidden="true" />} onClick={() => uploads.pauseAll()}>
                {t('explorer.upload.pauseAll')}
              </Button>
            </>
          )}
          {paused > 0 && (
            <Button icon={<Play size={18} aria-hidden="true" />} onClick={() => uploads.resumeAll()}>
              {t('explorer.upload.resumeAll', paused)}
            </Button>
          )}
          <Button onClick={onClose}>{t(totals.active ? 'explorer.upload.behind' : 'common.close')}</Button>
          {pending.length > 0 && (
            <Button
              variant="primary"
              busy={busy}
              icon={<Upload size={18} aria-hidden="true" />}
              onClick={() => void begin()}
            >
              {t('file.form.submit', pending.length)}
            </Button>
          )}
        </>
      }
    >
      <div className={styles.form}>
        <p className={styles.hint}>{t('explorer.upload.target', { path })}</p>
        <div className={styles.sources}>
          <Button
            data-autofocus=""
            icon={<Upload size={18} aria-hidden="true" />}
            onClick={() => files.current?.click()}
          >
            {t('file.drop.choose')}
          </Button>
          <Button
            variant="quiet"
            icon={<FolderUp size={18} aria-hidden="true" />}
            onClick={() => folder.current?.click()}
          >
            {t('file.drop.folder')}
          </Button>
          <span className={styles.hint}>{t('explorer.upload.hint')}</span>
        </div>
        <input ref={files} {...input} data-testid="files" />
        <input ref={folder} {...input} />
        {clashing.length > 0 && (
          <div className={styles.clashes}>
            <p className={styles.warn} role="status">
              {t('explorer.upload.clashes', clashing.length)}
            </p>
            <Segmented
              label={t('explorer.upload.clashAll')}
              value={all}
              onChange={(choice) => {
                setAll(choice);
                setSingle(new Map());
              }}
              choices={clashes.map((value) => ({ value, label: t(`explorer.upload.clash.${value}`) }))}
            />
          </div>
        )}
        {totals.active && <Totals totals={totals} />}
        {refusals.seen && admin && (
          <p className={styles.warn} role="status">
            {t('explorer.upload.refused')}{' '}
            <Link href="/admin/storage-config">{t('explorer.upload.toStorage')}</Link>
          </p>
        )}
        {items.length > 0 && (
          <ul className={styles.uploads} aria-label={t('file.list.title')}>
            {items.map((item) => (
              <UploadLine
                key={item.id}
                item={item}
                folder={item.folder === path ? '' : item.folder}
                clash={clashing.includes(item) ? clashOf(item) : undefined}
                onClash={(choice) => setSingle(new Map(single).set(item.id, choice))}
                goesOn={item.status === 'pending' && goesOn(item)}
                onRetry={() => uploads.retry(item.id, send)}
              />
            ))}
          </ul>
        )}
        {pending.length > 0 && (
          <details className={styles.advanced}>
            <summary>{t('explorer.upload.advanced')}</summary>
            <SelectField
              label={t('explorer.upload.method')}
              hint={t(`explorer.upload.methodHints.${method}`)}
              value={method}
              choices={methods.map((value) => ({ value, label: t(`explorer.upload.methods.${value}`) }))}
              onChange={(event) => setMethod(methods.find((one) => one === event.target.value) ?? 'auto')}
            />
          </details>
        )}
        {items.some(({ status }) => status !== 'uploading') && (
          <Button variant="quiet" className={styles.start ?? ''} onClick={() => uploads.clear()}>
            {t('file.list.clear')}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function Totals({ totals }: { totals: UploadTotals }) {
  const t = useT();
  const language = useLanguage();
  const percent = totals.bytes > 0 ? Math.floor((totals.sent / totals.bytes) * 100) : 0;
  return (
    <div>
      <progress max={100} value={percent} aria-label={t('file.progress.label')} />
      <p className={styles.facts}>
        {percent} % · {t('file.progress.files', { done: totals.done, files: totals.files })}
        {totals.speed !== null &&
          ` · ${t('file.progress.speed', { speed: formatSize(totals.speed, language) })}`}
        {totals.remaining !== null &&
          ` · ${t('file.progress.left', { time: formatDuration(totals.remaining, t) })}`}
      </p>
    </div>
  );
}
