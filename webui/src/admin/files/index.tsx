import {
  Download,
  Eye,
  Link as LinkIcon,
  Link2,
  Pencil,
  QrCode,
  SquareArrowOutUpRight,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import { useListContext, useRefresh, useUnselectAll } from 'react-admin';
import { deleteFiles, fileDownloadUrl, getFile } from '../../api/files';
import type { DeleteMode, FileRow } from '../../api/types';
import { useSession } from '../../auth/session';
import { config, pageUrl, readStored, writeStored } from '../../config';
import { useLanguage, useT } from '../../i18n';
import { copyText } from '../../shared/clipboard';
import { errorText } from '../../shared/errorText';
import { formatSize } from '../../shared/format';
import { KindIcon } from '../../shared/preview/KindIcon';
import { Button, buttonClass, confirm, EmptyState, QrDialog, Segmented, Time, toast } from '../../shared/ui';
import type { Column, RowAction } from '../list/columns';
import { PanelList } from '../list/PanelList';
import { PanelPage } from '../list/PanelPage';
import { BulkResult, type BulkOutcome } from '../share/BulkResult';
import { Creator, creatorText, Expiry, State, stateText, Views } from '../share/cells';
import styles from '../share/share.module.css';
import { FileDetail } from './FileDetail';
import { FileEdit } from './FileEdit';

const resource = 'file-management';
const modeKey = 'pp.admin.deleteMode';

type Opened = { row: FileRow; as: 'detail' | 'edit' | 'qr' };

/** Files manages the shared files: all of them for the administrator, their own for keys (§7.5). */
export default function Files() {
  const t = useT();
  const language = useLanguage();
  const admin = useSession().kind === 'admin';
  const refresh = useRefresh();
  const unselect = useUnselectAll(resource);
  const [opened, setOpened] = useState<Opened>();
  const [outcome, setOutcome] = useState<BulkOutcome>();
  const [mode, setMode] = useState<DeleteMode>(
    readStored(modeKey) === 'record_only' ? 'record_only' : 'both',
  );
  const linkOf = (row: FileRow) => pageUrl(`/file/${row.slug}`);

  const columns: Column<FileRow>[] = [
    {
      source: 'filename',
      label: t('admin.files.name'),
      title: true,
      sortable: true,
      csv: (row) => row.filename,
      render: (row) => (
        <span className={styles.file}>
          <KindIcon file={row} size={18} />
          <a href={`${config.basePath}/file/${row.slug}`} target="_blank" rel="noopener">
            {row.filename}
          </a>
        </span>
      ),
    },
    {
      source: 'slug',
      label: t('admin.share.slug'),
      sortable: true,
      hidden: true,
      csv: (row) => row.slug,
      render: (row) => <code>{row.slug}</code>,
    },
    {
      source: 'remark',
      label: t('admin.share.remark'),
      hidden: true,
      csv: (row) => row.remark,
      render: (row) => (row.remark ? <span className={styles.clip}>{row.remark}</span> : ''),
    },
    {
      source: 'size',
      label: t('admin.files.size'),
      sortable: true,
      csv: (row) => row.size,
      render: (row) => formatSize(row.size, language),
    },
    {
      source: 'mimetype',
      label: t('admin.files.type'),
      hidden: true,
      csv: (row) => row.mimetype,
      render: (row) => row.mimetype,
    },
    {
      source: 'state',
      label: t('admin.share.state'),
      csv: (row) => stateText(row, t),
      render: (row) => <State row={row} />,
    },
    {
      source: 'expires_at',
      label: t('admin.share.expiry'),
      sortable: true,
      csv: (row) => row.expires_at,
      render: (row) => <Expiry row={row} />,
    },
    {
      source: 'views',
      label: t('admin.share.views'),
      sortable: true,
      csv: (row) => (row.max_views ? `${row.views}/${row.max_views}` : row.views),
      render: (row) => <Views row={row} />,
    },
    {
      source: 'storage_config_name',
      label: t('admin.files.storage'),
      csv: (row) => row.storage_config_name,
      render: (row) => row.storage_config_name ?? t('admin.words.unknown'),
    },
    {
      source: 'storage_provider_type',
      label: t('admin.files.provider'),
      hidden: true,
      csv: (row) => row.storage_provider_type,
      render: (row) => row.storage_provider_type ?? t('admin.words.unknown'),
    },
    {
      source: 'created_at',
      label: t('admin.share.created'),
      sortable: true,
      csv: (row) => row.created_at,
      render: (row) => <Time value={row.created_at} />,
    },
    ...(admin
      ? [
          {
            source: 'created_by',
            label: t('admin.share.creator'),
            csv: (row: FileRow) => creatorText(row, t),
            render: (row: FileRow) => <Creator row={row} />,
          },
        ]
      : []),
  ];

  async function copy(text: string | null, said: string) {
    if (!text) toast.warning(t('admin.files.noDirect'));
    else if (await copyText(text)) toast.success(said);
    else toast.warning(t('common.copyFailed'));
  }

  async function copyDirect(row: FileRow) {
    try {
      const { urls } = await getFile(row.id);
      await copy(urls.previewUrl, t('admin.files.copiedDirect'));
    } catch (error) {
      toast.error(errorText(error, t));
    }
  }

  async function remove(rows: readonly FileRow[], ids: readonly string[] = rows.map((row) => row.id)) {
    const mounted = rows.filter((row) => row.file_path).length;
    const named = rows.slice(0, 5);
    await confirm({
      title: t('admin.files.deleteTitle', ids.length),
      body: (
        <div className={styles.stack}>
          <ul className={styles.failures}>
            {named.map((row) => (
              <li key={row.id}>{row.filename}</li>
            ))}
            {ids.length > named.length && <li>{t('admin.files.more', ids.length - named.length)}</li>}
          </ul>
          <p>
            <strong>
              {t('admin.files.mode.label')}: {t(`admin.files.mode.${mode}`)}.
            </strong>{' '}
            {t(mode === 'both' ? 'admin.files.willBoth' : 'admin.files.willRecord')}
          </p>
          {mode === 'both' && mounted > 0 && <p>{t('admin.files.willMounted', mounted)}</p>}
          <p>{t('admin.files.noUndo')}</p>
        </div>
      ),
      confirmLabel: t('common.delete'),
      danger: true,
      run: async () => {
        try {
          const { success, failed } = await deleteFiles([...ids], mode);
          if (success > 0) toast.success(t('admin.files.deleted', success));
          if (failed.length > 0) {
            const nameOf = (id: string) => rows.find((row) => row.id === id)?.filename ?? id;
            setOutcome({
              done: success,
              failed: failed.map(({ id, error }) => ({ name: nameOf(id), error })),
            });
          }
        } catch (error) {
          toast.error(errorText(error, t));
        }
      },
    });
    unselect();
    refresh();
  }

  const actions = (row: FileRow): RowAction[] => [
    {
      label: t('admin.share.preview'),
      icon: <Eye size={18} aria-hidden="true" />,
      run: () => setOpened({ row, as: 'detail' }),
      shown: true,
    },
    {
      label: t('admin.share.edit'),
      icon: <Pencil size={18} aria-hidden="true" />,
      run: () => setOpened({ row, as: 'edit' }),
      shown: true,
    },
    {
      label: t('admin.share.open'),
      icon: <SquareArrowOutUpRight size={18} aria-hidden="true" />,
      run: () => window.open(linkOf(row), '_blank', 'noopener'),
    },
    {
      label: t('admin.files.download'),
      icon: <Download size={18} aria-hidden="true" />,
      run: () => window.open(fileDownloadUrl(row.slug), '_blank', 'noopener'),
    },
    {
      label: t('admin.share.copyLink'),
      icon: <LinkIcon size={18} aria-hidden="true" />,
      run: () => void copy(linkOf(row), t('admin.share.copied')),
    },
    {
      label: t('admin.files.copyDirect'),
      icon: <Link2 size={18} aria-hidden="true" />,
      run: () => void copyDirect(row),
    },
    {
      label: t('admin.share.qr'),
      icon: <QrCode size={18} aria-hidden="true" />,
      run: () => setOpened({ row, as: 'qr' }),
    },
    {
      label: t('admin.share.delete'),
      icon: <Trash2 size={18} aria-hidden="true" />,
      run: () => void remove([row]),
      danger: true,
    },
  ];

  const close = () => setOpened(undefined);
  return (
    <PanelPage
      title={t('admin.pages.files')}
      action={
        <div className={styles.mode}>
          <span aria-hidden="true">{t('admin.files.mode.label')}</span>
          <Segmented
            label={t('admin.files.mode.label')}
            value={mode}
            onChange={(next) => {
              setMode(next);
              writeStored(modeKey, next);
            }}
            choices={[
              { value: 'both', label: t('admin.files.mode.both') },
              { value: 'record_only', label: t('admin.files.mode.record_only') },
            ]}
          />
        </div>
      }
    >
      <PanelList<FileRow>
        columns={columns}
        nameOf={(row) => row.filename}
        actions={actions}
        sort={{ field: 'created_at', order: 'DESC' }}
        searchLabel={t('admin.files.search')}
        exportName="files"
        filters={[
          {
            name: 'state',
            label: t('admin.share.state'),
            choices: [
              { value: 'active', label: t('admin.share.active') },
              { value: 'expired', label: t('admin.share.expired') },
              { value: 'protected', label: t('admin.share.password') },
              { value: 'limited', label: t('admin.share.limited') },
            ],
          },
        ]}
        bulk={(ids) => <DeleteSelected ids={ids} onDelete={remove} />}
        empty={
          <EmptyState
            title={t('admin.files.emptyTitle')}
            body={t('admin.files.emptyBody')}
            action={
              <a className={buttonClass('primary')} href={`${config.basePath}/upload`}>
                {t('admin.files.emptyAction')}
              </a>
            }
          />
        }
      />
      {opened?.as === 'detail' && <FileDetail row={opened.row} onClose={close} />}
      {opened?.as === 'edit' && (
        <FileEdit
          row={opened.row}
          onClose={close}
          onSaved={() => {
            close();
            refresh();
          }}
        />
      )}
      {opened?.as === 'qr' && <QrDialog link={linkOf(opened.row)} onClose={close} />}
      {outcome && <BulkResult outcome={outcome} onClose={() => setOutcome(undefined)} />}
    </PanelPage>
  );
}

interface DeleteSelectedProps {
  ids: readonly string[];
  onDelete: (rows: readonly FileRow[], ids: readonly string[]) => Promise<void>;
}

function DeleteSelected({ ids, onDelete }: DeleteSelectedProps) {
  const t = useT();
  const { data = [] } = useListContext<FileRow>();
  return (
    <Button
      variant="danger"
      icon={<Trash2 size={18} aria-hidden="true" />}
      onClick={() =>
        void onDelete(
          data.filter((row) => ids.includes(row.id)),
          ids,
        )
      }
    >
      {t('admin.list.deleteMany', { count: ids.length })}
    </Button>
  );
}
