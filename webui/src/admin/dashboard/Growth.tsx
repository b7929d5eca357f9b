import { useState } from 'react';
import type { Stats } from '../../api/admin/system';
import { useLanguage, useT } from '../../i18n';
import { formatNumber } from '../../shared/format';
import { Segmented } from '../../shared/ui';
import { Chart } from '../share/Chart';
import chart from '../share/chart.module.css';
import styles from './dashboard.module.css';
import { busiest, stepsOf, sum, type Step } from './figures';

/** Growth shows what was shared lately, as a chart and as a table. */
export function Growth({ stats, now }: { stats: Stats; now: Date }) {
  const t = useT();
  const language = useLanguage();
  const [form, setForm] = useState<'bars' | 'lines'>('bars');
  const days = stepsOf(stats, now);
  const top = busiest(days);
  const span = stats.perDay.pastes.length;
  const weekly = span > days.length;
  // As many dates as there is room for below the chart.
  const apart = Math.ceil(days.length / 7);
  const total = (of: 'texts' | 'files') => sum(days.map((day) => day[of]));
  const name = (day: Step, long = false) =>
    new Intl.DateTimeFormat(language, {
      timeZone: 'UTC',
      ...(long
        ? { dateStyle: 'medium' as const }
        : span > 7
          ? { month: 'numeric', day: 'numeric' }
          : { weekday: 'short' }),
    }).format(day.date);
  return (
    <section className={styles.panel}>
      <div className={styles.head}>
        <h2>{t('admin.dashboard.growth.title', { days: span })}</h2>
        <Segmented
          label={t('admin.dashboard.growth.form')}
          value={form}
          onChange={setForm}
          choices={[
            { value: 'bars', label: t('admin.dashboard.growth.bars') },
            { value: 'lines', label: t('admin.dashboard.growth.lines') },
          ]}
        />
      </div>
      <Chart
        days={days.map((day, at) => ({
          date: day.date,
          tick: (days.length - 1 - at) % apart === 0 ? name(day) : '',
          counts: [day.texts, day.files],
        }))}
        form={form}
        label={t('admin.dashboard.growth.chart')}
      />
      <p className={styles.legend}>
        <span data-of="texts">
          {t('admin.dashboard.growth.textsOf', { count: formatNumber(total('texts'), language) })}
        </span>
        <span data-of="files">
          {t('admin.dashboard.growth.filesOf', { count: formatNumber(total('files'), language) })}
        </span>
      </p>
      <p className={styles.label}>
        {top
          ? t(weekly ? 'admin.dashboard.growth.busiestWeek' : 'admin.dashboard.growth.busiest', {
              day: name(top, true),
              count: formatNumber(top.texts + top.files, language),
            })
          : t('admin.dashboard.growth.quiet')}
      </p>
      <details>
        <summary>{t('admin.dashboard.growth.table')}</summary>
        <table className={chart.table}>
          <thead>
            <tr>
              <th scope="col">{t(weekly ? 'admin.dashboard.growth.week' : 'admin.dashboard.growth.day')}</th>
              <th scope="col">{t('admin.dashboard.growth.texts')}</th>
              <th scope="col">{t('admin.dashboard.growth.files')}</th>
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
              <th scope="row">{t('admin.dashboard.growth.total')}</th>
              <td>{formatNumber(total('texts'), language)}</td>
              <td>{formatNumber(total('files'), language)}</td>
            </tr>
          </tfoot>
        </table>
      </details>
    </section>
  );
}
