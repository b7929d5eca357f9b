import { CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLanguage, useT } from '../../i18n';
import { confirmClock } from '../../api/admin/system';
import { formatRelative, formatSize, formatTime, parseTime } from '../../shared/format';
import { Button } from '../../shared/ui';
import { levelOf, percentOf } from '../../shared/meter/level';
import { listLink } from '../list/listLink';
import { Link } from '../router';
import { wordsIn } from '../storage/words';
import { useAct } from '../useAct';
import styles from './dashboard.module.css';
import { endingSoon } from './figures';
import type { Overview } from './overview';

/** Attention lists what an administrator should look at, each with the way to it. */
export function Attention({
  stats,
  endingKeys,
  expired,
  failed,
  drivers,
  rules,
  at,
  onRefresh,
}: Overview & { onRefresh: () => void }) {
  const t = useT();
  const language = useLanguage();
  const { ask } = useAct();
  const items: { key: string; to: string; text: ReactNode; action?: ReactNode }[] = [];
  const { clock, disk, backup } = stats;
  if (clock) {
    const time = (text: string | null) => (text ? formatTime(parseTime(text), language) : '–');
    const now = time(clock.now);
    const confirmNow = () =>
      ask('admin.dashboard.attention.clock', {
        values: { now },
        confirmLabel: t('admin.dashboard.attention.clockConfirm'),
        run: () => confirmClock().finally(onRefresh),
        done: t('admin.dashboard.attention.clockConfirmed'),
      });
    const until = clock.until && t('admin.dashboard.attention.clockUntil', { time: time(clock.until) });
    items.push({
      key: 'clock',
      to: '',
      text: (
        <span>
          {t('admin.dashboard.attention.clock', { now, last: time(clock.last_sweep) })}
          {until && <> · {until}</>}
        </span>
      ),
      action: (
        <Button onClick={() => void confirmNow()}>{t('admin.dashboard.attention.clockConfirm')}</Button>
      ),
    });
  }
  if (disk)
    items.push({
      key: 'disk',
      to: '',
      text: t(disk.full ? 'admin.dashboard.attention.diskFull' : 'admin.dashboard.attention.disk', {
        percent: disk.percent,
        free: formatSize(disk.free, language),
      }),
    });
  if (backup)
    items.push({
      key: 'backup',
      to: '/admin/backup',
      text: backup.problem
        ? t('admin.dashboard.attention.backupFailed', { problem: backup.problem })
        : t('admin.dashboard.attention.backupLate', {
            when: backup.last_good ? formatRelative(parseTime(backup.last_good), at, language) : '–',
          }),
    });
  for (const bucket of stats.s3Buckets) {
    const { state, message } = bucket.health ?? { state: 'unknown', message: '' };
    if (state === 'refused' || state === 'down')
      items.push({
        key: `health ${bucket.id}`,
        to: `/admin/storage-config/${bucket.id}`,
        text: t('admin.dashboard.attention.storage', { name: bucket.name, problem: message }),
      });
    else if (bucket.tested && bucket.tested.verdict !== 'full')
      items.push({
        key: `test ${bucket.id}`,
        to: '/admin/storage-config',
        text: t('admin.dashboard.attention.test', {
          name: bucket.name,
          verdict: t(`admin.storage.verdict.${bucket.tested.verdict}`),
        }),
      });
    const percent = percentOf(bucket.usedStorage, bucket.totalStorage);
    if (percent !== undefined && levelOf(percent) === 'full')
      items.push({
        key: `full ${bucket.id}`,
        to: `/admin/storage-config/${bucket.id}`,
        text: t('admin.dashboard.attention.full', { name: bucket.name, percent }),
      });
  }
  for (const key of endingSoon(endingKeys, at))
    items.push({
      key: `key ${key.id}`,
      to: `/admin/key-management/${key.id}`,
      text: t('admin.dashboard.attention.key', {
        name: key.name,
        when: formatRelative(parseTime(key.expires_at), at, language),
      }),
    });
  if (expired > 0)
    items.push({
      key: 'expired',
      to: listLink('text-management', { state: 'expired' }),
      text: t('admin.dashboard.attention.expired', expired),
    });
  const jobs = listLink('tasks', { status: 'failed,partial' });
  for (const { id, type, title } of failed.jobs)
    items.push({ key: `job ${id}`, to: jobs, text: t(`admin.dashboard.attention.job.${type}`, { title }) });
  const others = failed.total - failed.jobs.length;
  if (others > 0) items.push({ key: 'jobs', to: jobs, text: t('admin.dashboard.attention.jobs', others) });
  // Only of drivers that a storage of this site needs; the others may be missing on purpose.
  const needed = new Set(stats.s3Buckets.map((bucket) => bucket.driver));
  for (const driver of drivers)
    if (needed.has(driver.name) && (!driver.available || driver.problem))
      items.push({
        key: `driver ${driver.name}`,
        to: '/admin/storage-config',
        text: t('admin.dashboard.attention.driver', {
          name: wordsIn(driver.label, language, driver.name),
          problem: driver.problem ?? '',
        }),
      });
  if (rules?.broken)
    items.push({ key: 'rules', to: '/admin/policies', text: t('admin.dashboard.attention.rules') });
  if (rules?.state.failed)
    items.push({ key: 'putBack', to: '/admin/policies', text: t('admin.dashboard.attention.putBack') });
  if (rules?.state.trial_ends_at)
    items.push({ key: 'trial', to: '/admin/policies', text: t('admin.dashboard.attention.trial') });
  return (
    <section className={styles.panel}>
      <h2>{t('admin.dashboard.attention.title')}</h2>
      {items.length === 0 ? (
        <p className={styles.fine}>
          <CircleCheck size={18} />
          {t('admin.dashboard.attention.none')}
        </p>
      ) : (
        <ul className={styles.items}>
          {items.map(({ key, to, text, action }) => (
            <li key={key}>
              <TriangleAlert size={18} />
              <span className={styles.what}>{to ? <Link to={to}>{text}</Link> : text}</span>
              {action}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
