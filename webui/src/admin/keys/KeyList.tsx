import { CopyPlus, KeyRound, Power, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useRefresh } from 'react-admin';
import { countShares, rotateKey, type Key } from '../../api/admin/keys';
import { permissions } from '../../auth/permissions';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { tellError } from '../../shared/offline/tellError';
import { confirm, CopyButton, EmptyState, Time } from '../../shared/ui';
import { confirmed } from '../form/confirmed';
import { Toggle } from '../form/inputs';
import type { Column, RowAction } from '../list/columns';
import { CreateLink } from '../list/CreateLink';
import { Link, useNavigate } from '../router';

import { PanelList } from '../list/PanelList';
import { PanelPage } from '../list/PanelPage';
import { deleteAction, editAction } from '../list/usualActions';
import { useSwitchRow } from '../list/useSwitchRow';
import { BulkResult } from '../share/BulkResult';
import { Chip } from '../share/cells';
import { DeleteSelected } from '../share/DeleteSelected';
import styles from '../share/share.module.css';
import { useRemoval } from '../share/useRemoval';
import { groups, type Group } from './bits';
import { neverEnds } from './expiry';
import { KeyOnce } from './KeyOnce';

const form = '/admin/key-management';

/** KeyList shows the keys; their values are masked, but for the moment in which one is made. */
export function KeyList() {
  const t = useT();
  const language = useLanguage();
  const navigate = useNavigate();
  const refresh = useRefresh();
  const [made, setMade] = useState<Key>();
  const { remove, outcome, closeOutcome } = useRemoval({
    one: (name) => t('admin.keys.deleteTitle', { name }),
    many: (count) => t('admin.keys.deleteManyTitle', count),
    body: t('admin.keys.deleteBody'),
    done: (count) => t('admin.keys.deleted', count),
  });

  const columns: Column<Key>[] = [
    {
      source: 'name',
      label: t('admin.keys.name'),
      title: true,
      sortable: true,
      csv: (row) => row.name,
      render: (row) => (
        <span className={styles.file}>
          <Link to={`${form}/${row.id}`}>{row.name}</Link>
          {row.is_guest ? <Chip>{t('admin.keys.guest')}</Chip> : null}
        </span>
      ),
    },
    {
      source: 'key_masked',
      label: t('admin.keys.key'),
      csv: (row) => row.key_masked,
      render: (row) => (
        <span className={styles.file}>
          <code>{row.key_masked}</code>
          <CopyButton iconOnly text={row.key_masked} label={t('admin.keys.copyMasked')} />
        </span>
      ),
    },
    {
      source: 'permissions',
      label: t('admin.keys.permissions'),
      csv: (row) => row.permissions,
      render: (row) => <Rights bits={row.permissions} />,
    },
    {
      source: 'basic_path',
      label: t('admin.keys.path'),
      sortable: true,
      csv: (row) => row.basic_path,
      render: (row) => <code>{row.basic_path}</code>,
    },
    {
      source: 'expires_at',
      label: t('admin.keys.expiry'),
      sortable: true,
      csv: (row) => (neverEnds(row.expires_at) ? t('admin.share.neverEnds') : row.expires_at),
      render: (row) => (
        <span className={styles.chips}>
          {row.is_expired ? <Chip tone="danger">{t('admin.keys.expired')}</Chip> : null}
          {row.is_active ? null : <Chip tone="warn">{t('admin.keys.off')}</Chip>}
          {neverEnds(row.expires_at) ? t('admin.share.neverEnds') : <Time value={row.expires_at} relative />}
        </span>
      ),
    },
    {
      source: 'last_used',
      label: t('admin.keys.lastUsed'),
      sortable: true,
      csv: (row) => row.last_used,
      render: (row) => (row.last_used ? <Time value={row.last_used} relative /> : t('admin.words.never')),
    },
    {
      source: 'usage',
      label: t('admin.uploads.title'),
      render: ({ usage }) =>
        usage && (usage.bytes_today > 0 || usage.bytes_stored > 0)
          ? (['today', 'stored'] as const).map((name) => (
              <span key={name} className={styles.line}>
                {t(`admin.uploads.line.${name}`, { size: formatSize(usage[`bytes_${name}`], language) })}
              </span>
            ))
          : t('admin.uploads.none'),
    },
    {
      source: 'is_guest',
      label: t('admin.keys.guest'),
      hidden: true,
      csv: (row) => row.is_guest,
      render: (row) => t(row.is_guest ? 'admin.words.yes' : 'admin.words.no'),
    },
    {
      source: 'created_at',
      label: t('admin.share.created'),
      sortable: true,
      hidden: true,
      csv: (row) => row.created_at,
      render: (row) => <Time value={row.created_at} />,
    },
  ];

  const turn = useSwitchRow();

  /** removeOne asks whether a key's shares are to go with it. */
  async function removeOne(row: Key) {
    const { total } = await countShares(row.id);
    const meta = { revoke: false };
    const body = (
      <>
        <p>{t('admin.keys.deleteBody')}</p>
        {total > 0 && <Revoke shares={total} onChange={(on) => (meta.revoke = on)} />}
      </>
    );
    remove([row], { body, meta });
  }

  // The dialog is gone before the work begins, which may ask for the password.
  async function rotate(row: Key) {
    const agreed = await confirm({
      title: t('admin.keys.rotateTitle', { name: row.name }),
      body: t('admin.keys.rotateBody'),
      confirmLabel: t('admin.keys.rotate'),
      danger: true,
    });
    if (!agreed) return;
    setMade(await confirmed(() => rotateKey(row.id), t));
    refresh();
  }

  const actions = (row: Key): RowAction[] => [
    editAction(t, () => void navigate(`${form}/${row.id}`)),
    {
      label: t('admin.keys.rotate'),
      icon: <RefreshCw size={18} aria-hidden="true" />,
      run: () => void rotate(row).catch((error) => tellError(error, t)),
    },
    {
      label: t(row.is_active ? 'admin.keys.turnOff' : 'admin.keys.turnOn'),
      icon: <Power size={18} aria-hidden="true" />,
      run: () => void turn(row),
    },
    {
      label: t('admin.keys.clone'),
      icon: <CopyPlus size={18} aria-hidden="true" />,
      run: () => void navigate(`${form}/create`, { state: { of: row } }),
    },
    deleteAction(t, () => void removeOne(row).catch((error) => tellError(error, t))),
  ];

  return (
    <PanelPage
      title={t('admin.pages.keys')}
      action={<CreateLink to={`${form}/create`} label={t('admin.keys.create')} />}
    >
      <PanelList<Key>
        columns={columns}
        nameOf={(row) => row.name}
        actions={actions}
        sort={{ field: 'created_at', order: 'DESC' }}
        searchLabel={t('admin.keys.search')}
        exportName="keys"
        filters={[
          {
            name: 'state',
            label: t('admin.share.state'),
            choices: [
              { value: 'active', label: t('admin.keys.active') },
              { value: 'expired', label: t('admin.keys.expired') },
              { value: 'off', label: t('admin.keys.off') },
            ],
          },
        ]}
        bulk={(ids) => <DeleteSelected<Key> ids={ids} nameOf={(row) => row.name} onDelete={remove} />}
        empty={
          <EmptyState
            icon={<KeyRound size={24} />}
            title={t('admin.keys.emptyTitle')}
            body={t('admin.keys.emptyBody')}
            action={<CreateLink to={`${form}/create`} label={t('admin.keys.create')} />}
          />
        }
      />
      {made && <KeyOnce made={made} onClose={() => setMade(undefined)} />}
      {outcome && <BulkResult outcome={outcome} onClose={closeOutcome} />}
    </PanelPage>
  );
}

/** Rights are the permissions of a key as chips, one per group. */
function Rights({ bits }: { bits: number }) {
  const t = useT();
  return (
    <span className={styles.chips}>
      {(Object.keys(groups) as Group[]).map((group) => {
        const all = groups[group];
        const set = all.filter((name) => (bits & permissions[name]) !== 0);
        if (set.length === 0) return null;
        const label = t(`admin.keys.groups.${group}`);
        return (
          <span key={group} title={set.map((name) => t(`admin.keys.bits.${name}`)).join(', ')}>
            <Chip>{all.length === 1 ? label : `${label} ${set.length}/${all.length}`}</Chip>
          </span>
        );
      })}
    </span>
  );
}

/** Revoke is whether the shares of a key go with it. */
function Revoke({ shares, onChange }: { shares: number; onChange: (on: boolean) => void }) {
  const t = useT();
  const [on, setOn] = useState(false);
  const turn = (next: boolean) => {
    setOn(next);
    onChange(next);
  };
  return <Toggle label={t('admin.keys.revoke', shares)} on={on} onChange={turn} />;
}
