import { skipToken, useQuery } from '@tanstack/react-query';
import { FolderSearch, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { completeFileParts } from '../../api/fileParts';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../format';
import { FileGlyph } from '../preview/FileGlyph';
import { filesChanged } from '../query/files';
import { Button, confirm, IconButton, TimeIn, toast } from '../ui';
import { bytesArrived, discardBegun, forgetBegun, isFileOf, type Begun } from './begun';
import { FilePicker } from './FilePicker';
import { goOn } from './goOn';
import styles from './row.module.css';
import { percentOf } from './queue';
import { uploadErrorText } from './uploadErrorText';

/** UnfinishedRow is one unfinished upload: what it is, how much has arrived, and how it goes on. */
export function UnfinishedRow({ begun }: { begun: Begun }) {
  const t = useT();
  const language = useLanguage();
  const input = useRef<HTMLInputElement>(null);
  const { data: arrived } = useQuery({
    queryKey: ['arrived', begun],
    queryFn: begun.upload_id ? ({ signal }) => bytesArrived(begun, signal) : skipToken,
  });
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const { name, fileName, to, folder } = begun;
  const size = formatSize(begun.size, language);
  const isWhole = to === 'share' && arrived === begun.size;

  async function choose(file: File) {
    setProblem('');
    setBusy(true);
    const isSame = await isFileOf(begun, file).catch(() => false);
    setBusy(false);
    if (isSame) goOn(file, begun);
    else if (begun.ends) setProblem(t('file.unfinished.other', { name: fileName }));
    else setProblem(t('file.unfinished.otherSize', { name: fileName, size }));
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
    if (!begun.upload_id) {
      forgetBegun(begun);
      return;
    }
    await confirm({
      title: t('file.unfinished.discardTitle', { name }),
      body: t(to === 'share' ? 'file.unfinished.discardBody' : 'file.unfinished.discardParts'),
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

  return (
    <li className={styles.row} data-status="unfinished">
      <FileGlyph file={{ filename: name, mimetype: '', type: 0 }} />
      <div className={styles.rowBody}>
        <p className={styles.rowName} dir="auto">
          {name}
        </p>
        <p className={styles.rowFacts}>
          {to !== 'request' && <span>{to === 'share' ? t('file.list.asShare') : folder}</span>}
          <span>
            {arrived === undefined
              ? size
              : t('file.unfinished.arrived', { arrived: formatSize(arrived, language), size })}
          </span>
          <span>
            <TimeIn sentence="file.unfinished.begun" value={new Date(begun.at).toISOString()} relative />
          </span>
        </p>
        {arrived !== undefined && (
          <progress
            max={100}
            value={percentOf(arrived, begun.size)}
            aria-label={t('file.list.progress', { name })}
          />
        )}
        <p className={styles.rowError} role="alert">
          {problem}
        </p>
        <div className={styles.rowChoices}>
          <Button
            variant="primary"
            busy={busy}
            icon={isWhole ? undefined : <FolderSearch size={18} />}
            onClick={isWhole ? () => void finish() : () => input.current?.click()}
          >
            {t(isWhole ? 'file.unfinished.finish' : 'file.unfinished.choose')}
          </Button>
          <FilePicker
            ref={input}
            multiple={false}
            data-testid={`resume ${name}`}
            onFiles={([chosen]) => chosen && void choose(chosen.file)}
          />
        </div>
      </div>
      <div className={styles.rowActions}>
        <IconButton label={t('file.unfinished.discard', { name })} onClick={() => void discard()}>
          <Trash2 size={20} />
        </IconButton>
      </div>
    </li>
  );
}
