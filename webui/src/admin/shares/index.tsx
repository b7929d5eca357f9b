import { Link2Off, LockKeyhole, Pencil } from 'lucide-react';
import { config, pageUrl } from '../../config';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { useReading } from '../../shared/query/useReading';
import { buttonClass } from '../../shared/ui';
import { sourcesQuery } from '../data/queries';
import { shareRef, type Share } from '../data/rest';
import type { Column } from '../list/columns';
import { PanelList } from '../list/PanelList';
import { Chip, Creator, creatorText } from '../share/cells';
import { copyAction, keyChoices, kindFilter, madeBy, openAction, openableColumns } from '../share/columns';
import styles from '../share/share.module.css';
import { useShareDialogs, visitorActions } from '../share/useShareDialogs';

/** Shares is the inventory of all that is shared; many are revoked at once. */
export default function Shares() {
  const t = useT();
  const language = useLanguage();
  const { data: known } = useReading(sourcesQuery);
  const linkOf = (row: Share) => pageUrl(`/${row.kind}/${row.slug}`);
  const nameOf = (row: Share) => row.name || (row.kind === 'paste' ? t('ops.shares.text') : '');

  const { open, dialogs } = useShareDialogs<Share>((row) => ({
    kind: row.kind,
    id: shareRef(row.id).id,
    name: nameOf(row) || row.slug,
    link: linkOf(row),
  }));
  const common = openableColumns<Share>(t, (row) => open(row, 'visits'));
  const columns: Column<Share>[] = [
    {
      source: 'slug',
      label: t('ops.shares.link'),
      title: true,
      csv: linkOf,
      render: (row) => (
        <span className={styles.chips}>
          <a className={styles.link} href={linkOf(row)} target="_blank" rel="noopener">
            {row.slug}
          </a>
          {row.has_password && <Chip icon={<LockKeyhole size={14} />}>{t('admin.share.password')}</Chip>}
        </span>
      ),
    },
    {
      source: 'name',
      label: t('ops.shares.name'),
      csv: nameOf,
      render: (row) => <span className={styles.clip}>{nameOf(row)}</span>,
    },
    { source: 'path', label: t('ops.shares.path'), hidden: true },
    {
      source: 'size',
      label: t('ops.shares.size'),
      number: true,
      sortable: true,
      // Nobody has counted what a folder holds.
      render: (row) => (row.kind === 'collection' && !row.size ? '' : formatSize(row.size, language)),
    },
    common.expiry,
    common.views,
    common.created,
    {
      source: 'created_by',
      roomy: true,
      label: t('admin.share.creator'),
      csv: (row) => creatorText(madeBy(row.created_by, known?.keys), t),
      render: (row) => known && <Creator row={madeBy(row.created_by, known.keys)} />,
    },
  ];

  return (
    <PanelList<Share>
      words="ops.shares"
      columns={columns}
      nameOf={(row) => row.slug}
      actions={(row) => [
        { ...copyAction(t, linkOf(row)), shown: true },
        openAction(t, linkOf(row)),
        ...(row.kind === 'collection'
          ? [
              {
                label: t('ops.shares.edit'),
                icon: Pencil,
                run: () => window.open(`${linkOf(row)}?edit`, '_blank', 'noopener'),
              },
            ]
          : []),
        ...visitorActions(t, (as) => open(row, as)),
      ]}
      filters={[
        kindFilter(t),
        {
          name: 'from',
          label: t('ops.shares.from'),
          choices: [
            ...(known?.storages ?? []).map(({ id, name }) => ({
              value: `storage ${id}`,
              label: t('ops.shares.storage', { name }),
            })),
            ...(known?.mounts ?? []).map(({ mount_path: path }) => ({
              value: `mount ${path}`,
              label: t('ops.shares.mount', { name: path }),
            })),
            ...keyChoices(t, known?.keys, (creator) => `created_by ${creator}`),
          ],
        },
        {
          name: 'only',
          label: t('ops.shares.only'),
          choices: [
            { value: 'never_expires', label: t('ops.shares.never') },
            { value: 'unused', label: t('ops.shares.unused') },
            { value: 'ends_days 7', label: t('ops.shares.endsSoon') },
          ],
        },
      ]}
      removes={{ verb: t('ops.shares.revoke'), icon: Link2Off }}
      emptyAction={
        <a className={buttonClass('primary')} href={`${config.basePath}/`}>
          {t('ops.shares.emptyAction')}
        </a>
      }
    >
      {dialogs}
    </PanelList>
  );
}
