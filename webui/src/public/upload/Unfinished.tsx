import { FolderSearch, Trash2 } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { completeFileParts } from '../../api/fileParts';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { FileGlyph } from '../../shared/preview/FileGlyph';
import { filesChanged } from '../../shared/query/files';
import { Button, confirm, IconButton, Time, toast } from '../../shared/ui';
import { inPartsFrom, type UploadItem } from '../../shared/uploader';
import { forgetBegun, isFileOf, useBegun, type Begun } from '../../shared/uploader/begun';
import { cutTransfers, type Cut } from '../../shared/uploader/cutTransfers';
import { begunOf, discardBegun } from '../../shared/uploader/shareParts';
import { uploadErrorText } from '../../shared/uploader/uploadErrorText';
import { useStore } from '../../store';
import { arrivedQuery } from './queries';
import rows from '../../shared/uploader/row.module.css';
import styles from './upload.module.css';
import { goOn } from './uploads';

interface UnfinishedProps {
  /** items are the files of the list; what one of them goes on with is not offered again. */
  items: readonly UploadItem<unknown>[];
}

/** Unfinished offers the uploads that a reload or a lost line has interrupted: shares, and files on their way into mounts. */
export function Unfinished({ items }: UnfinishedProps) {
  const t = useT();
  const all = useBegun();
  const running = new Set(items.map((item) => begunOf(item.file)?.file_id));
  const open = all.filter(({ file_id }) => !running.has(file_id));
  const cuts = useStore(cutTransfers);
  useEffect(() => void cutTransfers.look(), []);
  if (open.length + cuts.length === 0) return null;
  return (
    <section className={styles.results} aria-labelledby="pp-unfinished">
      <h2 id="pp-unfinished">{t('file.unfinished.title')}</h2>
      <p className={styles.hint}>{t('file.unfinished.body')}</p>
      <ul>
        {open.map((begun) => (
          <ShareRow key={begun.file_id} begun={begun} />
        ))}
        {cuts.map((cut) => (
          <CutRow key={cut.key} cut={cut} />
        ))}
      </ul>
    </section>
  );
}

/** ShareRow is a share of which a part has arrived. */
function ShareRow({ begun }: { begun: Begun }) {
  const t = useT();
  const language = useLanguage();
  const { data: arrived } = useQuery(arrivedQuery(begun));
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const { name, size } = begun;

  async function choose(file: File | undefined) {
    if (!file) return;
    setBusy(true);
    const same = await isFileOf(begun, file).catch(() => false);
    setBusy(false);
    if (same) goOn(file, begun);
    else setProblem(t('file.unfinished.other', { name: begun.fileName }));
  }

  async function finish() {
    setBusy(true);
    try {
      await completeFileParts(begun);
      forgetBegun(begun);
      toast.success(t('file.url.done', { name }));
      void filesChanged();
    } catch (error) {
      setProblem(uploadErrorText(error, t));
      setBusy(false);
    }
  }

  async function discard() {
    await confirm({
      title: t('file.unfinished.discardTitle', { name }),
      body: t('file.unfinished.discardBody'),
      confirmLabel: t('file.unfinished.discardConfirm'),
      danger: true,
      run: async () => {
        try {
          await discardBegun(begun);
        } catch (error) {
          toast.error(uploadErrorText(error, t));
        }
      },
    });
  }

  const whole = arrived === size;
  return (
    <Row
      name={name}
      facts={[
        arrived === undefined
          ? formatSize(size, language)
          : t('file.unfinished.arrived', {
              arrived: formatSize(arrived, language),
              size: formatSize(size, language),
            }),
        <>
          {t('file.unfinished.begun')} <Time value={new Date(begun.at).toISOString()} relative />
        </>,
      ]}
      percent={arrived === undefined ? undefined : Math.floor((arrived / size) * 100)}
      problem={problem}
      busy={busy}
      onFinish={whole ? () => void finish() : undefined}
      onChoose={(file) => {
        setProblem('');
        void choose(file);
      }}
      removeLabel={t('file.unfinished.discard', { name })}
      onRemove={() => void discard()}
    />
  );
}

/** CutRow is an upload into a mount that a closed page has left. */
function CutRow({ cut }: { cut: Cut }) {
  const t = useT();
  const language = useLanguage();
  const [problem, setProblem] = useState('');
  const { name, folder, sent, at } = cut;
  const size = formatSize(cut.size, language);
  return (
    <Row
      name={name}
      facts={[
        folder,
        cut.size < inPartsFrom
          ? size
          : t('file.unfinished.arrived', { arrived: formatSize(sent, language), size }),
        <>
          {t('file.unfinished.stopped')} <Time value={new Date(at).toISOString()} relative />
        </>,
      ]}
      problem={problem}
      onChoose={(file) => {
        if (file)
          setProblem(cutTransfers.goOn(cut, file) ? '' : t('file.unfinished.otherSize', { name, size }));
      }}
      removeLabel={t('file.list.remove', { name })}
      onRemove={() => cutTransfers.forget(cut)}
    />
  );
}

interface RowProps {
  name: string;
  facts: readonly ReactNode[];
  /** percent of the file that has arrived; undefined while that is not known. */
  percent?: number | undefined;
  problem: string;
  busy?: boolean;
  /** onFinish ends an upload of which everything has arrived; else its file has to be chosen. */
  onFinish?: (() => void) | undefined;
  onChoose: (file: File | undefined) => void;
  removeLabel: string;
  onRemove: () => void;
}

/** Row is one unfinished upload: what it is, and how it goes on. */
function Row({
  name,
  facts,
  percent,
  problem,
  busy = false,
  onFinish,
  onChoose,
  removeLabel,
  onRemove,
}: RowProps) {
  const t = useT();
  const input = useRef<HTMLInputElement>(null);
  return (
    <li className={rows.row}>
      <FileGlyph file={{ filename: name, mimetype: '', type: 0 }} />
      <div className={rows.rowBody}>
        <p className={rows.rowName}>{name}</p>
        <p className={rows.rowFacts}>
          {facts.map((fact, at) => (
            <span key={at}>{fact}</span>
          ))}
        </p>
        {percent !== undefined && (
          <progress max={100} value={percent} aria-label={t('file.list.progress', { name })} />
        )}
        <p className={rows.rowError} role="alert">
          {problem}
        </p>
        <div className={styles.resultActions}>
          <Button
            variant="primary"
            busy={busy}
            icon={onFinish ? undefined : <FolderSearch size={18} aria-hidden="true" />}
            onClick={onFinish ?? (() => input.current?.click())}
          >
            {t(onFinish ? 'file.unfinished.finish' : 'file.unfinished.choose')}
          </Button>
          <input
            ref={input}
            type="file"
            hidden
            tabIndex={-1}
            data-testid={`resume ${name}`}
            onChange={({ target }) => {
              onChoose(target.files?.[0]);
              target.value = '';
            }}
          />
        </div>
      </div>
      <div className={rows.rowActions}>
        <IconButton label={removeLabel} onClick={onRemove}>
          <Trash2 size={20} aria-hidden="true" />
        </IconButton>
      </div>
    </li>
  );
}
