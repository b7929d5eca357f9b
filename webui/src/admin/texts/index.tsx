import {
  Copy,
  Eraser,
  Eye,
  Link as LinkIcon,
  Pencil,
  QrCode,
  SquareArrowOutUpRight,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import { useRefresh, useUnselectAll } from 'react-admin';
import { clearExpired, deleteTexts } from '../../api/admin/texts';
import { rawPasteUrl } from '../../api/pastes';
import type { PasteRow } from '../../api/types';
import { useSession } from '../../auth/session';
import { config, pageUrl } from '../../config';
import { useLanguage, useT } from '../../i18n';
import { tellError } from '../../shared/offline/tellError';
import { copyText } from '../../shared/clipboard';
import { formatSize } from '../../shared/format';
import { Button, buttonClass, confirm, EmptyState, QrDialog, Time, toast } from '../../shared/ui';
import type { Column, RowAction } from '../list/columns';
import { PanelList } from '../list/PanelList';
import { PanelPage } from '../list/PanelPage';
import { Creator, creatorText, Expiry, State, stateText, Views } from '../share/cells';
import styles from '../share/share.module.css';
import { TextEdit } from './TextEdit';
import { TextPreview } from './TextPreview';

const resource = 'text-management';

type Opened = { row: PasteRow; as: 'preview' | 'edit' | 'qr' };

/** Texts manages the shared texts: all of them for the administrator, their own for keys (§7.4). */
export default function Texts() {
  const t = useT();
  const language = useLanguage();
  const admin = useSession().kind === 'admin';
  const refresh = useRefresh();
  const unselect = useUnselectAll(resource);
  const [opened, setOpened] = useState<Opened>();
  const linkOf = (row: PasteRow) => pageUrl(`/paste/${row.slug}`);

  const columns: Column<PasteRow>[] = [
    {
      source: 'slug',
      label: t('admin.share.slug'),
      title: true,
      sortable: true,
      csv: (row) => row.slug,
      render: (row) => (
        <a
          className={styles.link}
          href={`${config.basePath}/paste/${row.slug}`}
          target="_blank"
          rel="noopener"
        >
          {row.slug}
        </a>
      ),
    },
    {
      source: 'remark',
      label: t('admin.share.remark'),
      csv: (row) => row.remark,
      render: (row) => (row.remark ? <span className={styles.clip}>{row.remark}</span> : ''),
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
      source: 'size',
      label: t('admin.texts.size'),
      sortable: true,
      hidden: true,
      csv: (row) => row.size,
      render: (row) => formatSize(row.size, language),
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
            csv: (row: PasteRow) => creatorText(row, t),
            render: (row: PasteRow) => <Creator row={row} />,
          },
        ]
      : []),
  ];

  async function copy(text: string, said: string) {
    if (await copyText(text)) toast.success(said);
    else toast.warning(t('common.copyFailed'));
  }

  async function remove(ids: readonly string[]) {
    await confirm({
      title: t('admin.texts.deleteTitle', ids.length),
      body: t('admin.texts.deleteBody'),
      confirmLabel: t('common.delete'),
      danger: true,
      run: async () => {
        try {
          const { deletedCount } = await deleteTexts([...ids]);
          const missed = ids.length - deletedCount;
          if (missed > 0) toast.warning(t('admin.bulk.partly', { done: deletedCount, failed: missed }));
          else toast.success(t('admin.texts.deleted', deletedCount));
        } catch (error) {
          tellError(error, t);
        }
      },
    });
    unselect();
    refresh();
  }

  const clear = () =>
    void confirm({
      title: t('admin.texts.clearTitle'),
      body: t('admin.texts.clearBody'),
      confirmLabel: t('admin.texts.clearExpired'),
      danger: true,
      run: async () => {
        try {
          toast.success(t('admin.texts.cleared', (await clearExpired()).deletedCount));
          refresh();
        } catch (error) {
          tellError(error, t);
        }
      },
    });

  const actions = (row: PasteRow): RowAction[] => [
    {
      label: t('admin.share.preview'),
      icon: <Eye size={18} aria-hidden="true" />,
      run: () => setOpened({ row, as: 'preview' }),
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
      label: t('admin.share.copyLink'),
      icon: <LinkIcon size={18} aria-hidden="true" />,
      run: () => void copy(linkOf(row), t('admin.share.copied')),
    },
    {
      label: t('admin.texts.copyRaw'),
      icon: <Copy size={18} aria-hidden="true" />,
      run: () => void copy(rawPasteUrl(row.slug), t('admin.share.copiedRaw')),
    },
    {
      label: t('admin.share.qr'),
      icon: <QrCode size={18} aria-hidden="true" />,
      run: () => setOpened({ row, as: 'qr' }),
    },
    {
      label: t('admin.share.delete'),
      icon: <Trash2 size={18} aria-hidden="true" />,
      run: () => void remove([row.id]),
      danger: true,
    },
  ];

  const close = () => setOpened(undefined);
  return (
    <PanelPage title={t('admin.pages.texts')}>
      <PanelList<PasteRow>
        columns={columns}
        nameOf={(row) => row.slug}
        actions={actions}
        sort={{ field: 'created_at', order: 'DESC' }}
        searchLabel={t('admin.texts.search')}
        exportName="texts"
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
        tools={
          admin && (
            <Button icon={<Eraser size={18} aria-hidden="true" />} onClick={clear}>
              {t('admin.texts.clearExpired')}
            </Button>
          )
        }
        bulk={(ids) => (
          <Button
            variant="danger"
            icon={<Trash2 size={18} aria-hidden="true" />}
            onClick={() => void remove(ids)}
          >
            {t('admin.list.deleteMany', { count: ids.length })}
          </Button>
        )}
        empty={
          <EmptyState
            title={t('admin.texts.emptyTitle')}
            body={t('admin.texts.emptyBody')}
            action={
              <a className={buttonClass('primary')} href={`${config.basePath}/`}>
                {t('admin.texts.emptyAction')}
              </a>
            }
          />
        }
      />
      {opened?.as === 'preview' && <TextPreview row={opened.row} onClose={close} />}
      {opened?.as === 'edit' && (
        <TextEdit
          row={opened.row}
          onClose={close}
          onSaved={() => {
            close();
            refresh();
          }}
        />
      )}
      {opened?.as === 'qr' && <QrDialog link={linkOf(opened.row)} onClose={close} />}
    </PanelPage>
  );
}
