import { Copy, ExternalLink, Link2, QrCode, Trash2, TriangleAlert } from 'lucide-react';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { errorText } from '../../api/errorText';
import { deleteFiles, filePath } from '../../api/files';
import type { DeleteMode, FileRow } from '../../api/types';
import { pageUrl, readStored } from '../../config';
import { useLanguage, useT } from '../../i18n';
import { copyText } from '../../shared/clipboard';
import { formatNumber, formatSize, remainingViews } from '../../shared/format';
import { FileGlyph } from '../../shared/preview/FileGlyph';
import { kindName } from '../../shared/preview/KindIcon';
import { filesChanged, newestFilesQuery } from '../../shared/query/files';
import { useReading } from '../../shared/query/useReading';
import { Button, confirm, IconButton, iconLinkClass, QrDialog, Skeleton, Time, toast } from '../../shared/ui';
import { directLink } from './Results';
import styles from './upload.module.css';

/** How many files are shown (§2). */
const shown = 3;

const nothing = () => undefined;

const deleteMode = (): DeleteMode => (readStored('pp.deleteMode') === 'record_only' ? 'record_only' : 'both');

/** RecentUploads lists the newest files of the caller. */
export function RecentUploads() {
  const t = useT();
  const [qr, setQr] = useState<FileRow>();
  const { data: files, error, retry } = useReading(newestFilesQuery(shown));
  const failed = error !== null;
  const { mutateAsync: erase } = useMutation({
    mutationFn: (file: { id: string; mode: DeleteMode }) => deleteFiles([file.id], file.mode),
    onSuccess: ({ failed: [first] }) => {
      if (first) toast.error(t('file.recent.deleteFailed', { reason: first.error }));
      else toast.success(t('file.recent.deleted'));
    },
    onError: (problem) => toast.error(t('file.recent.deleteFailed', { reason: errorText(problem, t) })),
    onSettled: () => void filesChanged(),
  });

  async function remove(file: FileRow) {
    const mode = deleteMode();
    await confirm({
      title: t('file.recent.deleteTitle', { name: file.filename }),
      body: t(mode === 'both' ? 'file.recent.deleteBody' : 'file.recent.deleteBodyRecord'),
      confirmLabel: t('common.delete'),
      danger: true,
      run: () => erase({ id: file.id, mode }).then(nothing, nothing),
    });
  }

  return (
    <section className={styles.recent} aria-labelledby="pp-recent-uploads">
      <h2 id="pp-recent-uploads">{t('file.recent.title')}</h2>
      {failed && (
        <p className={styles.hint} role="alert">
          {t('file.recent.failed')}{' '}
          <Button variant="quiet" onClick={retry}>
            {t('common.retry')}
          </Button>
        </p>
      )}
      {!files && !failed && <Skeleton lines={shown} />}
      {files?.length === 0 && <p className={styles.hint}>{t('file.recent.empty')}</p>}
      {files && files.length > 0 && (
        <RecentTable files={files} onQr={setQr} onDelete={(file) => void remove(file)} />
      )}
      {qr && (
        <QrDialog
          link={pageUrl(filePath(qr))}
          fileName={`file-${qr.slug}`}
          onClose={() => setQr(undefined)}
        />
      )}
    </section>
  );
}

interface RecentTableProps {
  files: FileRow[];
  onQr: (file: FileRow) => void;
  onDelete: (file: FileRow) => void;
}

const columns = ['name', 'size', 'type', 'views', 'password', 'created', 'actions'] as const;

/** RecentTable is a table where there is room, and a card for each file on a phone. */
function RecentTable({ files, onQr, onDelete }: RecentTableProps) {
  const t = useT();
  return (
    // As cards its parts are no table to browsers any more, so the roles are said.
    <table className={styles.table} role="table">
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {t(`file.recent.${column}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {files.map((file) => (
          <Row key={file.id} file={file} onQr={() => onQr(file)} onDelete={() => onDelete(file)} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  file: FileRow;
  onQr: () => void;
  onDelete: () => void;
}

function Row({ file, onQr, onDelete }: RowProps) {
  const t = useT();
  const language = useLanguage();
  const left = remainingViews(file.max_views, file.views);
  const name = file.filename;
  return (
    <tr role="row">
      <th scope="row" role="rowheader">
        <div className={styles.name}>
          <FileGlyph file={file} />
          <span>
            <Link href={filePath(file)} dir="auto">
              {name}
            </Link>
            {file.remark && (
              <span className={styles.remark} dir="auto">
                {file.remark}
              </span>
            )}
          </span>
        </div>
      </th>
      <td role="cell" data-label={t('file.recent.size')}>
        {formatSize(file.size, language)}
      </td>
      <td role="cell" className={styles.type} title={file.mimetype} data-label={t('file.recent.type')}>
        {kindName(file, t)}
      </td>
      <td role="cell" data-label={t('file.recent.views')}>
        <ViewsLeft left={left} />
      </td>
      <td role="cell" data-label={t('file.recent.password')}>
        {t(file.has_password ? 'file.recent.yes' : 'file.recent.no')}
      </td>
      <td role="cell" data-label={t('file.recent.created')}>
        <Time value={file.created_at} relative />
      </td>
      <td role="cell">
        <div className={styles.actions}>
          <Link
            href={filePath(file)}
            className={`${iconLinkClass} ${styles.action}`}
            aria-label={t('file.recent.open', { name })}
          >
            <ExternalLink size={20} />
            <span>{t('file.results.open')}</span>
          </Link>
          <CopyAction
            text={pageUrl(filePath(file))}
            label={t('file.recent.copyLink', { name })}
            short={t('file.results.copyLink')}
            icon={<Copy size={20} />}
          />
          {file.has_password ? (
            <span className={styles.noAction} />
          ) : (
            <CopyAction
              text={directLink(file.slug)}
              label={t('file.recent.copyDirect', { name })}
              short={t('file.results.copyDirect')}
              icon={<Link2 size={20} />}
            />
          )}
          <IconButton className={styles.action} label={t('file.recent.qr', { name })} onClick={onQr}>
            <QrCode size={20} />
            <span>{t('file.results.qr')}</span>
          </IconButton>
          <IconButton className={styles.action} label={t('file.recent.delete', { name })} onClick={onDelete}>
            <Trash2 size={20} />
            <span>{t('common.delete')}</span>
          </IconButton>
        </div>
      </td>
    </tr>
  );
}

interface CopyActionProps {
  text: string;
  label: string;
  /** short is the label that stands beside the icon on a phone. */
  short: string;
  icon: ReactNode;
}

function CopyAction({ text, label, short, icon }: CopyActionProps) {
  const t = useT();
  async function copy() {
    if (await copyText(text)) toast.success(t('common.copied'));
    else toast.warning(t('common.copyFailed'));
  }
  return (
    <IconButton className={styles.action} label={label} onClick={() => void copy()}>
      {icon}
      <span>{short}</span>
    </IconButton>
  );
}

/** Fewer views than this are worth a warning. */
const few = 3;

/** ViewsLeft says how often a file can still be opened. */
function ViewsLeft({ left }: { left: number | undefined }) {
  const t = useT();
  const language = useLanguage();
  if (left === undefined) return t('common.unlimited');
  const text = left === 0 ? t('common.usedUp') : formatNumber(left, language);
  if (left >= few) return text;
  return (
    <span className={styles.few}>
      <TriangleAlert size={16} />
      {text}
    </span>
  );
}
