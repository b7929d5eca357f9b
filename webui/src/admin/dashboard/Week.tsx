import { useState } from 'react';
import type { Stats } from '../../api/admin/system';
import { useLanguage, useT } from '../../i18n';
import { formatNumber } from '../../shared/format';
import { Segmented } from '../../shared/ui';
import { Chart } from '../share/Chart';
import chart from '../share/chart.module.css';
import styles from './dashboard.module.css';
import { busiest, daysOf, type Day } from './figures';

/** Week shows what was shared in the last seven days, as a chart and as a table. */
export function Week({ stats, now }: { stats: Stats; now: Date }) {
  const t = useT();
  const language = useLanguage();
  const [form, setForm] = useState<'bars' | 'lines'>('bars');
  const days = daysOf(stats, now);
  const top = busiest(days);
  const total = (of: 'texts' | 'files') => days.reduce((sum, day) => sum + day[of], 0);
  const name = (day: Day, long = false) =>
    new Intl.DateTimeFormat(language, {
      timeZone: 'UTC',
      ...(long ? { dateStyle: 'medium' } : { weekday: 'short' }),
    }).format(day.date);
  return (
    <section className={styles.panel}>
      <div className={styles.head}>
        <h2>{t('admin.dashboard.week.title')}</h2>
        <Segmented
          label={t('admin.dashboard.week.form')}
          value={form}
          onChange={setForm}
          choices={[
            { value: 'bars', label: t('admin.dashboard.week.bars') },
            { value: 'lines', label: t('admin.dashboard.week.lines') },
          ]}
        />
      </div>
      <Chart
        days={days.map((day) => ({ date: day.date, tick: name(day), counts: [day.texts, day.files] }))}
        form={form}
        label={t('admin.dashboard.week.chart')}
      />
      <p className={styles.legend}>
        <span data-of="texts">
          {t('admin.dashboard.week.texts')}: {formatNumber(total('texts'), language)}
        </span>
        <span data-of="files">
          {t('admin.dashboard.week.files')}: {formatNumber(total('files'), language)}
        </span>
      </p>
      <p className={styles.label}>
        {top
          ? t('admin.dashboard.week.busiest', {
              day: name(top, true),
              count: formatNumber(top.texts + top.files, language),
            })
          : t('admin.dashboard.week.quiet')}
      </p>
      <details>
        <summary>{t('admin.dashboard.week.table')}</summary>
        <table className={chart.table}>
          <thead>
            <tr>
              <th scope="col">{t('admin.dashboard.week.day')}</th>
              <th scope="col">{t('admin.dashboard.week.texts')}</th>
              <th scope="col">{t('admin.dashboard.week.files')}</th>
            </tr>
          </thead>
          <tbody>
            {days.map((day) => (
              <tr key={day.date.getTime()}>
                <th scope="row">{name(day, true)}</th>
                <td>{formatNumber(day.texts, language)}</td>
                <td>{formatNumber(day.files, language)}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t('admin.dashboard.week.total')}</th>
              <td>{formatNumber(total('texts'), language)}</td>
              <td>{formatNumber(total('files'), language)}</td>
            </tr>
          </tfoot>
        </table>
      </details>
    </section>
  );
}
