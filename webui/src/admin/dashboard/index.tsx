import { keepPreviousData } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useStore } from 'react-admin';
import type { PolicyOverview } from '../../api/admin/operations';
import { clearCaches } from '../../api/admin/system';
import { useLanguage, useT, type Translate } from '../../i18n';
import { formatNumber } from '../../shared/format';
import { Button, Segmented } from '../../shared/ui';
import { useReading } from '../../shared/query/useReading';
import { PanelPage } from '../list/PanelPage';
import { Link } from '../router';
import { Attention } from './Attention';
import styles from './dashboard.module.css';
import { formatDuration, madeWithin, spans, sum, type Span } from './figures';
import { Growth } from './Growth';
import { readAll, type Overview } from './overview';
import { Usage } from './Usage';
import { Ending, World } from './World';
import { Loaded } from '../ops/Loaded';
import { Facts } from '../share/Facts';
import { useAct } from '../useAct';

/** Dashboard is the administrator's overview (§7.3). */
export default function Dashboard() {
  const t = useT();
  const language = useLanguage();
  const [span, setSpan] = useStore<Span>('dashboard', 7);
  const all = useReading({
    queryKey: ['dashboard', span],
    queryFn: ({ signal }) => readAll(span, signal),
    placeholderData: keepPreviousData,
  });
  const { data: shown, isFetching, retry: refresh } = all;
  return (
    <PanelPage
      intro={shown && t('admin.dashboard.updatedAt', { time: shown.at.toLocaleTimeString(language) })}
      action={
        <div className={styles.head}>
          <Segmented
            label={t('admin.dashboard.span.label')}
            value={String(span)}
            onChange={(days) => setSpan(spans.find((one) => String(one) === days) ?? 7)}
            choices={spans.map((days) => ({
              value: String(days),
              label: t('admin.dashboard.span.days', { days }),
            }))}
          />
          <Button icon={<RefreshCw size={18} />} busy={isFetching} onClick={refresh}>
            {t('admin.dashboard.refresh')}
          </Button>
        </div>
      }
    >
      <Loaded of={all} lines={12}>
        {(overview) => <Panels {...overview} onRefresh={refresh} />}
      </Loaded>
    </PanelPage>
  );
}

function Panels(all: Overview & { onRefresh: () => void }) {
  const { stats } = all;
  return (
    <>
      <Cards {...all} />
      <Attention {...all} />
      <div className={styles.columns}>
        <Growth stats={stats} now={all.at} />
        <Usage stats={stats} />
        <World {...all} />
        <Ending {...all} />
        <Caches {...all} />
        <About {...all} />
      </div>
    </>
  );
}

function Cards({ stats, newKeys, at, span }: Overview) {
  const t = useT();
  const language = useLanguage();
  const cards = [
    ['texts', stats.totalPastes, 'text-management', sum(stats.perDay.pastes)],
    ['files', stats.totalFiles, 'file-management', sum(stats.perDay.files)],
    ['keys', stats.totalApiKeys, 'key-management', madeWithin(span, newKeys, at)],
    ['storage', stats.totalS3Configs, 'storage-config', madeWithin(span, stats.s3Buckets, at)],
  ] as const;
  return (
    <ul className={styles.cards}>
      {cards.map(([name, count, path, fresh]) => (
        <li key={name}>
          <Link to={`/admin/${path}`} className={styles.card}>
            <span className={styles.label}>{t(`admin.dashboard.cards.${name}`)}</span>
            <strong className={styles.count}>{formatNumber(count, language)}</strong>
            <span className={styles.label}>
              {t('admin.dashboard.cards.fresh', {
                count: formatNumber(fresh, language),
                days: span,
              })}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Caches({ caches, onRefresh }: Overview & { onRefresh: () => void }) {
  const t = useT();
  const language = useLanguage();
  const { ask } = useAct();
  const clear = () =>
    ask('admin.dashboard.caches.clear', {
      run: () => clearCaches().finally(onRefresh),
      done: ({ clearedCount }) => t('admin.dashboard.caches.cleared', clearedCount),
    });
  return (
    <section className={styles.panel}>
      <details open>
        <summary>
          <h2>{t('admin.dashboard.caches.title')}</h2>
        </summary>
        <Facts
          className={styles.facts}
          of={(['directory', 's3Url', 'search'] as const).map((name) => [
            t(`admin.dashboard.caches.${name}`),
            [
              t('admin.dashboard.caches.items', caches.cache[name].cacheSize),
              t('admin.dashboard.caches.hits', {
                percent: formatNumber(100 * caches.cache[name].hitRate, language),
              }),
            ].join(', '),
          ])}
        />
        <Button onClick={() => void clear()}>{t('admin.dashboard.caches.clear')}</Button>
      </details>
    </section>
  );
}

/** rulesIn names the rules of the site that are in force on this server. */
function rulesIn({ state, revisions, in_force: inForce, source }: PolicyOverview, t: Translate): string {
  if (source === 'folder') return inForce;
  const active = revisions.find((one) => one.id === state.active);
  return active
    ? t('admin.dashboard.system.revision', { number: active.number, hash: active.hash.slice(0, 8) })
    : t('admin.dashboard.system.shipped');
}

function About({ about, caches, rules }: Overview) {
  const t = useT();
  const language = useLanguage();
  const facts = [
    ['version', about.version],
    ['environment', about.environment],
    ['database', about.storage],
    ['uptime', formatDuration(about.uptime, language)],
    ['memory', `${formatNumber(caches.system.memory.rss, language)} MB`],
    ['go', about.nodeVersion],
    ...(rules ? [['rules', rulesIn(rules, t)] as const] : []),
  ] as const;
  return (
    <section className={styles.panel}>
      <h2>{t('admin.dashboard.system.title')}</h2>
      <Facts
        className={styles.facts}
        of={facts.map(([name, value]) => [t(`admin.dashboard.system.${name}`), value])}
      />
    </section>
  );
}
