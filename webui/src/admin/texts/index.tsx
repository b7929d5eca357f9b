import { Copy, Eraser, History } from 'lucide-react';
import { lazy } from 'react';
import { useRefresh } from 'react-admin';
import { clearExpired, listTexts } from '../../api/admin/texts';
import { rawPasteUrl } from '../../api/pastes';
import type { PasteRow } from '../../api/types';
import { useSession } from '../../auth/session';
import { config, pageUrl } from '../../config';
import { useT } from '../../i18n';
import { lazyPart } from '../../shared/lazyPart';
import { Button, buttonClass } from '../../shared/ui';
import type { Column, RowAction } from '../list/columns';
import { PanelList } from '../list/PanelList';
import { copyOut, shareActions, shareColumns, stateFilter } from '../share/columns';
import styles from '../share/share.module.css';
import { useShareDialogs } from '../share/useShareDialogs';
import { useAct } from '../useAct';
import { TextPreview } from './TextPreview';

const TextEdit = lazy(() => import('./TextEdit').then(({ TextEdit }) => ({ default: TextEdit })));

const RevisionsDialog = lazyPart(() => import('../../shared/revisions/RevisionsDialog'), 'revisions');

/** Texts manages the shared texts: all of them for the administrator, their own for keys (§7.4). */
export default function Texts() {
  const t = useT();
  const admin = useSession().kind === 'admin';
  const refresh = useRefresh();
  const { ask } = useAct();
  const linkOf = (row: PasteRow) => pageUrl(`/paste/${row.slug}`);
  const nameOf = (row: PasteRow) => row.remark?.trim() || row.slug;
  const { opened, open, onClose, onSaved, dialogs } = useShareDialogs<PasteRow>((row) => ({
    kind: 'paste',
    id: row.id,
    name: nameOf(row),
    link: linkOf(row),
  }));
  const common = shareColumns<PasteRow>(t, (row) => open(row, 'visits'));

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
    await ask('admin.texts.clear', {
      body: (
        <div className={styles.stack}>
          {expired !== undefined && <p>{t('admin.texts.clearCount', expired)}</p>}
          <p>{t('admin.texts.clearBody')}</p>
        </div>
      ),
      confirmLabel: t('admin.texts.clearExpired'),
      danger: true,
      run: () => clearExpired().finally(refresh),
      done: ({ deletedCount }) => t('admin.texts.cleared', deletedCount),
    });
  }

  const actions = (row: PasteRow): RowAction[] =>
    shareActions(t, linkOf(row), (as) => open(row, as), [
      { label: t('admin.texts.versions'), icon: History, run: () => open(row, 'versions') },
      {
        label: t('admin.texts.copyRaw'),
        icon: Copy,
        run: () => copyOut(rawPasteUrl(row.slug), t('admin.share.copiedRaw'), t),
      },
    ]);

  return (
    <PanelList<PasteRow>
      words="admin.texts"
      columns={columns}
      nameOf={(row) => row.slug}
      actions={actions}
      exportName="texts"
      filters={[stateFilter(t)]}
      tools={
        admin && (
          <Button icon={<Eraser size={18} />} onClick={() => void clear()}>
            {t('admin.texts.clearExpired')}
          </Button>
        )
      }
      removes
      emptyAction={
        <a className={buttonClass('primary')} href={`${config.basePath}/`}>
          {t('admin.texts.emptyAction')}
        </a>
      }
    >
      {dialogs}
      {opened?.as === 'preview' && <TextPreview row={opened.row} onClose={onClose} />}
      {opened?.as === 'edit' && <TextEdit row={opened.row} onClose={onClose} onSaved={onSaved} />}
      {opened?.as === 'versions' && (
        <RevisionsDialog
          id={opened.row.id}
          name={nameOf(opened.row)}
          onRestored={onSaved}
          onClose={onClose}
        />
      )}
    </PanelList>
  );
}
