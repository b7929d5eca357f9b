import { FolderUp, Pause, Play, Upload as UploadIcon } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Entry } from '../../api/fs';
import { useSession } from '../../auth/session';
import { nothingToDrag, useMedia } from '../../hooks/useMedia';
import { useT } from '../../i18n';
import { Button, Dialog, inputClass, Segmented, SelectField } from '../../shared/ui';
import { FilePicker } from '../../shared/uploader/FilePicker';
import { unfinished } from '../../shared/uploader/begun';
import { resumable, type Resumable, type UploadMethod } from '../../shared/uploader/mount';
import { inPartsFrom } from '../../shared/uploader/parts';
import { Totals } from '../../shared/uploader/Progress';
import type { Chosen } from '../../shared/uploader/sources';
import { isMoving, listedAt, stopUpload, uploads, type Upload } from '../../shared/uploader/uploads';
import { refusals, sendToMount } from '../../shared/uploader/transfers';
import { UploadRow } from '../../shared/uploader/UploadRow';
import { useStore } from '../../store';
import { freeName, nameProblem } from './entries';
import styles from './explorer.module.css';
import { join } from './place';
import { ResumeDialog, type ResumeAnswer } from './ResumeDialog';
import { useTaken } from './useTaken';

interface UploadDialogProps {
  /** path of the folder that files go to. */
  path: string;
  /** taken is what lies there already. */
  taken: readonly Entry[];
  onClose: () => void;
}

/** Clash is what is done with a name that is taken. */
type Clash = 'replace' | 'both' | 'skip';

const methods: readonly UploadMethod[] = ['auto', 'presigned', 'direct', 'parts'];
const clashes: readonly Clash[] = ['replace', 'both', 'skip'];

/** UploadDialog puts files into a folder, and shows what else this tab uploads. Closing it stops nothing. */
export default function UploadDialog({ path, taken, onClose }: UploadDialogProps) {
  const t = useT();
  const touch = useMedia(nothingToDrag);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const { items: all, totals } = useStore(uploads);
  const items = listedAt('mount', all);
  const [choice, setChoice] = useState<Clash>('replace');
  const [single, setSingle] = useState<ReadonlyMap<number, Clash>>(new Map());
  const [method, setMethod] = useState<UploadMethod>('auto');
  const [busy, setBusy] = useState(false);
  const [asked, setAsked] = useState<{
    item: Upload;
    found: readonly Resumable[];
    answer: (choice: ResumeAnswer) => void;
  }>();
  const admin = useSession().kind === 'admin';
  const pending = items.filter(({ status, queued }) => status === 'pending' && !queued);
  const paused = items.filter(({ status }) => status === 'paused').length;
  const namesIn = useTaken(
    path,
    taken,
    pending.map((item) => item.folder),
  );
  const goesOn = (item: Upload) => item.file.size >= inPartsFrom && unfinished(item.file, item) !== undefined;
  const isTaken = (item: Upload) =>
    namesIn(item.folder).has(item.name) ||
    pending.some((other) => other.id < item.id && other.folder === item.folder && other.name === item.name);
  const clashing = pending.filter((item) => !goesOn(item) && isTaken(item));
  const clashOf = ({ id }: Upload) => single.get(id) ?? choice;

  /** begin settles names and unfinished uploads, then sends. */
  async function begin() {
    setBusy(true);
    // As they are at that moment: one that has just got another name has it.
    const mine = () =>
      uploads
        .get()
        .items.filter(({ to, status, queued }) => to === 'mount' && status === 'pending' && !queued);
    for (const item of clashing) {
      const what = clashOf(item);
      if (what === 'skip') uploads.remove(item.id);
      if (what === 'both') {
        const others = mine().filter(({ folder }) => folder === item.folder);
        const isGiven = (name: string) => others.some((other) => other.name === name);
        uploads.rename(
          item.id,
          freeName(item.name, (name) => namesIn(item.folder).has(name) || isGiven(name)),
        );
      }
    }
    const resume = new Map<number, string>();
    for (const item of mine()) {
      const answer = await askResume(item);
      if (answer === 'cancel') uploads.remove(item.id);
      else if (answer !== 'anew') resume.set(item.id, answer);
    }
    setBusy(false);
    uploads.start(
      sendToMount(({ id }) => ({ method, resume: resume.get(id) })),
      mine().map(({ id }) => id),
    );
  }

  /** askResume asks whether a file goes on with an upload that somebody has begun and not ended. */
  async function askResume(item: Upload): Promise<ResumeAnswer> {
    const inParts = method === 'parts' || (method === 'auto' && item.file.size >= inPartsFrom);
    if (!inParts || goesOn(item)) return 'anew';
    const found = await resumable(item.file, { folder: item.folder, name: item.name }).catch(() => []);
    if (found.length === 0) return 'anew';
    const answer = await new Promise<ResumeAnswer>((resolve) => setAsked({ item, found, answer: resolve }));
    setAsked(undefined);
    return answer;
  }

  const add = (chosen: Chosen[]) =>
    uploads.add(
      chosen.map(({ file, folder: below }) => ({
        file,
        to: 'mount' as const,
        folder: below ? join(path, below) : path,
      })),
    );

  if (asked) return <ResumeDialog name={asked.item.name} found={asked.found} onAnswer={asked.answer} />;
  return (
    <Dialog
      wide="medium"
      title={t('explorerDialogs.upload.title')}
      onClose={onClose}
      footer={
        <>
          {totals.active && (
            <>
              <Button
                variant="quiet"
                onClick={() =>
                  items.forEach((item) => isMoving(item) && item.status !== 'paused' && stopUpload(item.id))
                }
              >
                {t('file.list.cancelAll')}
              </Button>
              <Button icon={<Pause size={18} />} onClick={() => uploads.pauseAll()}>
                {t('explorerDialogs.upload.pauseAll')}
              </Button>
            </>
          )}
          {paused > 0 && (
            <Button icon={<Play size={18} />} onClick={() => uploads.resumeAll()}>
              {t('explorerDialogs.upload.resumeAll', paused)}
            </Button>
          )}
          <Button onClick={onClose}>
            {t(totals.active ? 'explorerDialogs.upload.behind' : 'common.close')}
          </Button>
          {pending.length > 0 && (
            <Button
              variant="primary"
              busy={busy}
              icon={<UploadIcon size={18} />}
              onClick={() => void begin()}
            >
              {t('file.form.submit', pending.length)}
            </Button>
          )}
        </>
      }
    >
      <div className={styles.form}>
        <p className={styles.hint}>{t('explorerDialogs.upload.target', { path })}</p>
        <div className={styles.sources}>
          <Button data-autofocus="" icon={<UploadIcon size={18} />} onClick={() => files.current?.click()}>
            {t('file.drop.choose')}
          </Button>
          <Button variant="quiet" icon={<FolderUp size={18} />} onClick={() => folder.current?.click()}>
            {t('file.drop.folder')}
          </Button>
          {!touch && <span className={styles.hint}>{t('explorerDialogs.upload.hint')}</span>}
        </div>
        <FilePicker ref={files} onFiles={add} data-testid="files" />
        <FilePicker ref={folder} onFiles={add} folders />
        {clashing.length > 0 && (
          <div className={styles.clashes}>
            <p className={styles.warn} role="status">
              {t('explorerDialogs.upload.clashes', clashing.length)}
            </p>
            <Segmented
              label={t('explorerDialogs.upload.clashAll')}
              value={choice}
              onChange={(next) => {
                setChoice(next);
                setSingle(new Map());
              }}
              choices={clashes.map((value) => ({ value, label: t(`explorerDialogs.upload.clash.${value}`) }))}
            />
          </div>
        )}
        {totals.active && <Totals totals={totals} />}
        {refusals.seen && admin && (
          <p className={styles.warn} role="status">
            {t('explorerDialogs.upload.refused')}{' '}
            <Link href="/admin/storage-config">{t('explorerDialogs.upload.toStorage')}</Link>
          </p>
        )}
        {items.length > 0 && (
          <ul className={styles.uploads} aria-label={t('file.list.title')}>
            {items.map((item) => (
              <UploadRow
                key={item.id}
                item={item}
                where={
                  {
                    share: t('file.list.asShare'),
                    text: t('file.list.asShare'),
                    request: t('file.list.toRequest'),
                    mount: item.folder === path ? '' : item.folder,
                  }[item.to]
                }
                note={
                  item.status === 'pending' && item.to === 'mount' && goesOn(item)
                    ? t('explorerDialogs.upload.goesOn')
                    : undefined
                }
                isName={(name) => !nameProblem(name, [])}
                onRetry={() => uploads.retry(item.id)}
              >
                {clashing.includes(item) && (
                  <ClashChoice
                    name={item.name}
                    value={clashOf(item)}
                    onChange={(next) => setSingle(new Map(single).set(item.id, next))}
                  />
                )}
              </UploadRow>
            ))}
          </ul>
        )}
        {pending.length > 0 && (
          <details className={styles.advanced}>
            <summary>{t('explorerDialogs.upload.advanced')}</summary>
            <SelectField
              label={t('explorerDialogs.upload.method')}
              hint={t(`explorerDialogs.upload.methodHints.${method}`)}
              value={method}
              choices={methods.map((value) => ({
                value,
                label: t(`explorerDialogs.upload.methods.${value}`),
              }))}
              onChange={(event) => setMethod(methods.find((one) => one === event.target.value) ?? 'auto')}
            />
          </details>
        )}
        {items.some((item) => !isMoving(item)) && (
          <Button
            variant="quiet"
            className={styles.start ?? ''}
            onClick={() => items.forEach((item) => !isMoving(item) && uploads.remove(item.id))}
          >
            {t('file.list.clear')}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

interface ClashChoiceProps {
  name: string;
  value: Clash;
  onChange: (choice: Clash) => void;
}

/** ClashChoice asks what is done with one name that is taken. */
function ClashChoice({ name, value, onChange }: ClashChoiceProps) {
  const t = useT();
  return (
    <label className={styles.clash}>
      <span className={styles.warn}>{t('explorerDialogs.upload.isTaken')}</span>
      <select
        className={inputClass}
        aria-label={t('explorerDialogs.upload.clashOf', { name })}
        value={value}
        onChange={(event) => onChange(clashes.find((one) => one === event.target.value) ?? 'replace')}
      >
        {clashes.map((choice) => (
          <option key={choice} value={choice}>
            {t(`explorerDialogs.upload.clash.${choice}`)}
          </option>
        ))}
      </select>
    </label>
  );
}
