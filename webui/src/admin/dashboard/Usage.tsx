import { useState } from 'react';
import type { Stats } from '../../api/admin/system';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { SelectField } from '../../shared/ui';
import { Meter } from '../../shared/meter/Meter';
import { Uploads } from '../share/Uploads';
import { levelOf, percentOf } from '../../shared/meter/level';
import styles from './dashboard.module.css';
import { providersOf } from './figures';
import { Facts } from '../share/Facts';
import { providerName } from '../share/provider';

/** Usage shows how full the storages are, one by one or all together. */
export function Usage({ stats }: { stats: Stats }) {
  const t = useT();
  const language = useLanguage();
  const [chosen, setChosen] = useState('');
  const one = stats.s3Buckets.find((bucket) => bucket.id === chosen);
  const buckets = one ? [one] : stats.s3Buckets;
  const used = one ? one.usedStorage : stats.totalStorageUsed;
  // A storage without a limit makes the sum of the limits meaningless.
  const total = buckets.every((bucket) => bucket.totalStorage > 0)
    ? buckets.reduce((sum, bucket) => sum + bucket.totalStorage, 0)
    : 0;
  const files = buckets.reduce((sum, bucket) => sum + bucket.fileCount, 0);
  const percent = percentOf(used, total);
  const level = levelOf(percent);
  const size = (bytes: number) => formatSize(bytes, language);
  const providers = providersOf(stats.s3Buckets, t('admin.dashboard.usage.other'));
  return (
    <section className={styles.panel}>
      <h2>{t('admin.dashboard.usage.title')}</h2>
      {stats.s3Buckets.length > 1 && (
        <SelectField
          label={t('admin.dashboard.usage.bucket')}
          value={chosen}
          choices={[
            { value: '', label: t('admin.dashboard.usage.all') },
            ...stats.s3Buckets.map((bucket) => ({ value: bucket.id, label: bucket.name })),
          ]}
          onChange={(event) => setChosen(event.target.value)}
        />
      )}
      <p>
        <strong>
          {total > 0
            ? t('admin.dashboard.usage.of', { used: size(used), total: size(total) })
            : t('admin.dashboard.usage.used', { used: size(used) })}
        </strong>
        {' · '}
        {t('admin.dashboard.usage.files', files)}
      </p>
      {percent !== undefined && (
        <>
          <Meter percent={percent} label={t('admin.dashboard.usage.title')} />
          <p className={styles.label}>
            {t('admin.dashboard.usage.percent', { percent })}
            {level !== 'fine' && ` (${t(`admin.dashboard.usage.${level}`)})`}
            {' · '}
            {t('admin.dashboard.usage.free', { free: size(Math.max(0, total - used)) })}
          </p>
        </>
      )}
      <h3>{t('admin.uploads.title')}</h3>
      <Uploads of={stats.uploads} />
      <h3>{t('admin.dashboard.usage.providers')}</h3>
      <Facts
        className={styles.facts}
        of={providers.map(({ name, used: bytes }) => [providerName(name, t), size(bytes)])}
      />
    </section>
  );
}
