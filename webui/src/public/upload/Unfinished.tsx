import { FolderSearch, Trash2 } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
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
          <Row key={begun.file_id} begun={begun} />
        ))}
        {cuts.map((cut) => (
          <CutRow key={cut.key} cut={cut} />
        ))}
      </ul>
    </section>
  );
}

function Row({ begun }: { begun: Begun }) {
  const t = useT();
  const language = useLanguage();
  const input = useRef<HTMLInputElement>(null);
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
    <li className={rows.row}>
      <FileGlyph file={{ filename: name, mimetype: '', type: 0 }} />
      <div className={rows.rowBody}>
        <p className={rows.rowName}>{name}</p>
        <p className={rows.rowFacts}>
          <span>
            {arrived === undefined
              ? formatSize(size, language)
              : t('file.unfinished.arrived', {
                  arrived: formatSize(arrived, language),
                  size: formatSize(size, language),
                })}
          </span>
          <span>
            {t('file.unfinished.begun')} <Time value={new Date(begun.at).toISOString()} relative />
          </span>
        </p>
        {arrived !== undefined && (
          <progress
            max={100}
            value={Math.floor((arrived / size) * 100)}
            aria-label={t('file.list.progress', { name })}
          />
        )}
        <p className={rows.rowError} role="alert">
          {problem}
        </p>
        <div className={styles.resultActions}>
          <Button
            variant="primary"
            busy={busy}
            icon={whole ? undefined : <FolderSearch size={18} aria-hidden="true" />}
            onClick={() => (whole ? void finish() : input.current?.click())}
          >
            {t(whole ? 'file.unfinished.finish' : 'file.unfinished.choose')}
          </Button>
          <input
            ref={input}
            type="file"
            hidden
            tabIndex={-1}
            data-testid={`resume ${name}`}
            onChange={(event) => {
              setProblem('');
              void choose(event.target.files?.[0]);
              event.target.value = '';
            }}
          />
        </div>
      </div>
      <div className={rows.rowActions}>
        <IconButton label={t('file.unfinished.discard', { name })} onClick={() => void discard()}>
          <Trash2 size={20} aria-hidden="true" />
        </IconButton>
      </div>
    </li>
  );
}

/** CutRow is an upload into a mount that a closed page has left. */
function CutRow({ cut }: { cut: Cut }) {
  const t = useT();
  const language = useLanguage();
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState('');
  const { name, folder, sent, at } = cut;
  const size = formatSize(cut.size, language);
  return (
    <li className={rows.row}>
      <FileGlyph file={{ filename: name, mimetype: '', type: 0 }} />
      <div className={rows.rowBody}>
        <p className={rows.rowName}>{name}</p>
        <p className={rows.rowFacts}>
          <span>{folder}</span>
          <span>
            {cut.size < inPartsFrom
              ? size
              : t('file.unfinished.arrived', { arrived: formatSize(sent, language), size })}
          </span>
          <span>
            {t('file.unfinished.stopped')} <Time value={new Date(at).toISOString()} relative />
          </span>
        </p>
        <p className={rows.rowError} role="alert">
          {problem}
        </p>
        <div className={styles.resultActions}>
          <Button
            variant="primary"
            icon={<FolderSearch size={18} aria-hidden="true" />}
            onClick={() => input.current?.click()}
          >
            {t('file.unfinished.choose')}
          </Button>
          <input
            ref={input}
            type="file"
            hidden
            tabIndex={-1}
            data-testid={`resume ${name}`}
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file)
                setProblem(
                  cutTransfers.goOn(cut, file) ? '' : t('file.unfinished.otherSize', { name, size }),
                );
              target.value = '';
            }}
          />
        </div>
      </div>
      <div className={rows.rowActions}>
        <IconButton label={t('file.list.remove', { name })} onClick={() => cutTransfers.forget(cut)}>
          <Trash2 size={20} aria-hidden="true" />
        </IconButton>
      </div>
    </li>
  );
}
