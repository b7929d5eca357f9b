import { Link2Off, ListChecks } from 'lucide-react';
import { useState } from 'react';
import { revokeShares, sharedItems } from '../../api/admin/operations';
import { errorText, serverWords } from '../../api/errorText';
import { config } from '../../config';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { useReading } from '../../shared/query/useReading';
import { Button, confirm, SelectField, Time, toast } from '../../shared/ui';
import { sourcesQuery } from '../data/queries';
import { PanelPage } from '../list/PanelPage';
import { Feed } from '../ops/Feed';
import styles from '../ops/ops.module.css';
import { Table } from '../ops/Table';
import { useFeed } from '../ops/useFeed';
import { useSearchParams } from '../router';

/** Shares is the inventory of all that is shared; many are revoked at once. */
export default function Shares() {
  const t = useT();
  const language = useLanguage();
  // The filter stands in the address, so that other pages can lead to what uses a storage or a mount.
  const [params, setParams] = useSearchParams();
  const filter = { from: params.get('from') ?? '', only: params.get('only') ?? '' };
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [failed, setFailed] = useState<readonly string[]>([]);
  const { data: known } = useReading(sourcesQuery);
  const sources = known && [
    ...known.storages.map((one) => ({
      value: `storage ${one.id}`,
      label: t('ops.shares.storage', { name: one.name }),
    })),
    ...known.mounts.map((one) => ({
      value: `mount ${one.mount_path}`,
      label: t('ops.shares.mount', { name: one.mount_path }),
    })),
    ...known.keys.map((one) => ({
      value: `created_by apikey:${one.id}`,
      label: t('ops.shares.key', { name: one.name }),
    })),
  ];
  const at = filter.from.indexOf(' ');
  const feed = useFeed({
    name: 'shares',
    load: sharedItems,
    query: {
      ...(at > 0 && { [filter.from.slice(0, at)]: filter.from.slice(at + 1) }),
      ...(filter.only && { [filter.only]: 1 }),
    },
  });

  function narrow(change: Partial<typeof filter>) {
    setChosen(new Set());
    const chosen = Object.entries({ ...filter, ...change }).filter(([, value]) => value !== '');
    setParams(Object.fromEntries(chosen), { replace: true });
  }

  const allChosen = !!feed.rows?.length && feed.rows.every((row) => chosen.has(row.id));

  const revoke = () =>
    void confirm({
      title: t('ops.shares.revokeTitle', chosen.size),
      body: t('ops.shares.revokeBody'),
      confirmLabel: t('ops.shares.revoke'),
      danger: true,
      run: async () => {
        try {
          const items = (feed.rows ?? []).filter((row) => chosen.has(row.id));
          const done = await revokeShares(items.map(({ kind, id }) => ({ kind, id })));
          if (done.success > 0) toast.success(t('ops.shares.revoked', done.success));
          setFailed(
            done.failed.map(
              ({ id, error }) => `${items.find((item) => item.id === id)?.slug ?? id}: ${serverWords(error)}`,
            ),
          );
          setChosen(new Set());
          feed.refresh();
        } catch (error) {
          toast.error(errorText(error, t));
        }
      },
    });

  return (
    <PanelPage title={t('admin.pages.shares')} intro={t('ops.shares.intro')}>
      <div className={styles.part}>
        <div className={styles.row}>
          <SelectField
            label={t('ops.shares.from')}
            value={filter.from}
            onChange={(event) => narrow({ from: event.target.value })}
            choices={[{ value: '', label: t('ops.all') }, ...(sources ?? [])]}
          />
          <SelectField
            label={t('ops.shares.only')}
            value={filter.only}
            onChange={(event) => narrow({ only: event.target.value })}
            choices={[
              { value: '', label: t('ops.all') },
              { value: 'never_expires', label: t('ops.shares.never') },
              { value: 'unused', label: t('ops.shares.unused') },
            ]}
          />
          <Button
            icon={<ListChecks size={18} aria-hidden="true" />}
            disabled={!feed.rows?.length}
            onClick={() => setChosen(allChosen ? new Set() : new Set(feed.rows?.map((row) => row.id)))}
          >
            {t(allChosen ? 'ops.shares.chooseNone' : 'ops.shares.chooseAll')}
          </Button>
          <Button
            variant="danger"
            icon={<Link2Off size={18} aria-hidden="true" />}
            disabled={chosen.size === 0}
            onClick={revoke}
          >
            {t('ops.shares.revokeMany', { count: chosen.size })}
          </Button>
        </div>
        {failed.length > 0 && (
          <div className={styles.panel} role="status">
            <p className={styles.bad}>{t('ops.shares.failed')}</p>
            <ul>
              {failed.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </div>
        )}
        <Feed feed={feed}>
          {(rows) => (
            <Table
              label={t('admin.pages.shares')}
              rows={rows}
              keyOf={(row) => row.id}
              columns={[
                {
                  label: t('ops.shares.choose'),
                  render: (row) => (
                    <input
                      type="checkbox"
                      aria-label={t('ops.shares.chooseOne', { name: row.slug })}
                      checked={chosen.has(row.id)}
                      onChange={() => {
                        const next = new Set(chosen);
                        if (!next.delete(row.id)) next.add(row.id);
                        setChosen(next);
                      }}
                    />
                  ),
                },
                {
                  label: t('ops.shares.link'),
                  long: true,
                  render: (row) => (
                    <a href={`${config.basePath}/${row.kind}/${row.slug}`} target="_blank" rel="noopener">
                      {row.slug}
                    </a>
                  ),
                },
                {
                  label: t('ops.shares.name'),
                  long: true,
                  render: (row) => row.name || (row.kind === 'paste' ? t('ops.shares.text') : ''),
                },
                { label: t('ops.shares.size'), render: (row) => formatSize(row.size, language) },
                {
                  label: t('ops.shares.expires'),
                  render: (row) => (row.expires_at ? <Time value={row.expires_at} /> : t('ops.never')),
                },
                {
                  label: t('ops.shares.views'),
                  render: (row) => (row.max_views ? `${row.views}/${row.max_views}` : row.views),
                },
                { label: t('ops.time'), render: (row) => <Time value={row.created_at} /> },
              ]}
            />
          )}
        </Feed>
      </div>
    </PanelPage>
  );
}
