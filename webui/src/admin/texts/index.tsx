import { Copy, Eraser, FileStack, History } from 'lucide-react';
import { lazy, useState } from 'react';
import { useRefresh } from 'react-admin';
import { clearExpired, listTexts } from '../../api/admin/texts';
import { rawPasteUrl } from '../../api/pastes';
import type { PasteRow } from '../../api/types';
import { useSession } from '../../auth/session';
import { config, pageUrl } from '../../config';
import { useT } from '../../i18n';
import { lazyPart } from '../../shared/lazyPart';
import { tellError } from '../../shared/offline/tellError';
import { Button, buttonClass, confirm, QrDialog, toast } from '../../shared/ui';
import type { Column, RowAction } from '../list/columns';
import { PanelList } from '../list/PanelList';
import { copyOut, shareActions, shareColumns, stateFilter } from '../share/columns';
import styles from '../share/share.module.css';
import { useRemoval } from '../share/useRemoval';
import { VisitorDialog, visitorActions, type ShareDialog } from '../share/Visits';
import { TextPreview } from './TextPreview';

const TextEdit = lazy(() => import('./TextEdit').then(({ TextEdit }) => ({ default: TextEdit })));

const RevisionsDialog = lazyPart(() => import('../../shared/revisions/RevisionsDialog'), 'revisions');

type Opened = { row: PasteRow; as: 'preview' | 'edit' | 'versions' | 'qr' | ShareDialog };

/** Texts manages the shared texts: all of them for the administrator, their own for keys (§7.4). */
export default function Texts() {
  const t = useT();
  const admin = useSession().kind === 'admin';
  const refresh = useRefresh();
  const [opened, setOpened] = useState<Opened>();
  const linkOf = (row: PasteRow) => pageUrl(`/paste/${row.slug}`);
  const removal = useRemoval('admin.texts');
  const common = shareColumns<PasteRow>(t, (row) => setOpened({ row, as: 'visits' }));

  const columns: Column<PasteRow>[] = [
    {
      source: 'slug',
      label: t('admin.share.slug'),
      title: true,
      sortable: true,
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
    common.remark,
    common.state,
    common.expiry,
    common.views,
    { source: 'size', number: true, label: t('admin.texts.size'), sortable: true, hidden: true, as: 'size' },
    common.created,
    ...(admin ? [common.creator] : []),
  ];

  async function clear() {
    // How many there are is said where it is known; the question is asked in any case.
    const expired = await listTexts({ limit: 1, offset: 0, state: 'expired' }).then(
      ({ pagination }) => pagination.total,
      () => undefined,
    );
    await confirm({
      title: t('admin.texts.clearTitle'),
      body: (
        <div className={styles.stack}>
          {expired !== undefined && <p>{t('admin.texts.clearCount', expired)}</p>}
          <p>{t('admin.texts.clearBody')}</p>
        </div>
      ),
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
  }

  const actions = (row: PasteRow): RowAction[] =>
    shareActions(t, {
      link: linkOf(row),
      onPreview: () => setOpened({ row, as: 'preview' }),
      onEdit: () => setOpened({ row, as: 'edit' }),
      onQr: () => setOpened({ row, as: 'qr' }),
      onDelete: () => removal.remove([{ id: row.id, name: row.slug }]),
      more: [
        { label: t('admin.texts.versions'), icon: History, run: () => setOpened({ row, as: 'versions' }) },
        ...visitorActions(t, (as) => setOpened({ row, as })),
        {
          label: t('admin.texts.copyRaw'),
          icon: Copy,
          run: () => void copyOut(rawPasteUrl(row.slug), t('admin.share.copiedRaw'), t),
        },
      ],
    });

  const close = () => setOpened(undefined);
  const saved = () => {
    close();
    refresh();
  };
  return (
    <PanelList<PasteRow>
      title={t('admin.pages.texts')}
      words="admin.texts"
      icon={FileStack}
      columns={columns}
      nameOf={(row) => row.slug}
      actions={actions}
      sort={{ field: 'created_at', order: 'DESC' }}
      exportName="texts"
      filters={[stateFilter(t)]}
      tools={
        admin && (
          <Button icon={<Eraser size={18} aria-hidden="true" />} onClick={() => void clear()}>
            {t('admin.texts.clearExpired')}
          </Button>
        )
      }
      removal={removal}
      emptyAction={
        <a className={buttonClass('primary')} href={`${config.basePath}/`}>
          {t('admin.texts.emptyAction')}
        </a>
      }
    >
      {opened?.as === 'preview' && <TextPreview row={opened.row} onClose={close} />}
      {opened?.as === 'edit' && <TextEdit row={opened.row} onClose={close} onSaved={saved} />}
      {opened?.as === 'versions' && (
        <RevisionsDialog
          id={opened.row.id}
          name={opened.row.remark?.trim() || opened.row.slug}
          onRestored={saved}
          onClose={close}
        />
      )}
      {(opened?.as === 'visits' || opened?.as === 'access') && (
        <VisitorDialog
          as={opened.as}
          kind="paste"
          id={opened.row.id}
          name={opened.row.remark?.trim() || opened.row.slug}
          onClose={close}
          onSaved={saved}
        />
      )}
      {opened?.as === 'qr' && <QrDialog link={linkOf(opened.row)} onClose={close} />}
    </PanelList>
  );
}
