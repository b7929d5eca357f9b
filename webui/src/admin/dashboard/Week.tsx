import { useId, useState } from 'react';
import type { Stats } from '../../api/admin/system';
import { useLanguage, useT } from '../../i18n';
import { formatNumber } from '../../shared/format';
import { Segmented } from '../../shared/ui';
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
      <Chart days={days} form={form} name={name} label={t('admin.dashboard.week.chart')} />
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
        <table className={styles.table}>
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

interface ChartProps {
  days: readonly Day[];
  form: 'bars' | 'lines';
  name: (day: Day) => string;
  label: string;
}

const width = 420;
const height = 160;
const ground = height - 24;

/** Chart draws both counts per day; files are told from texts by a pattern, not by colour alone. */
function Chart({ days, form, name, label }: ChartProps) {
  const id = useId();
  const most = Math.max(1, ...days.flatMap((day) => [day.texts, day.files]));
  const step = width / Math.max(1, days.length);
  const y = (count: number) => ground - (count / most) * (ground - 12);
  const x = (at: number) => at * step + step / 2;
  const line = (of: 'texts' | 'files') => days.map((day, at) => `${x(at)},${y(day[of])}`).join(' ');
  const bar = 14;
  return (
    <svg viewBox={`0 0 ${width} ${height}`} className={styles.chart} role="img" aria-label={label}>
      <defs>
        <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="6" height="6" className={styles.filesGround} />
          <line x1="0" y1="0" x2="0" y2="6" className={styles.stripe} />
        </pattern>
      </defs>
      <line x1="0" y1={ground} x2={width} y2={ground} className={styles.axis} />
      {form === 'bars'
        ? days.map((day, at) => (
            <g key={day.date.getTime()}>
              <rect
                x={x(at) - bar - 1}
                y={y(day.texts)}
                width={bar}
                height={ground - y(day.texts)}
                className={styles.texts}
              />
              <rect
                x={x(at) + 1}
                y={y(day.files)}
                width={bar}
                height={ground - y(day.files)}
                fill={`url(#${id})`}
                className={styles.files}
              />
            </g>
          ))
        : (['texts', 'files'] as const).map((of) => (
            <g key={of}>
              <polyline points={line(of)} className={`${styles.line} ${styles[`${of}Line`]}`} />
              {days.map((day, at) =>
                of === 'texts' ? (
                  <circle
                    key={day.date.getTime()}
                    cx={x(at)}
                    cy={y(day.texts)}
                    r="4"
                    className={styles.texts}
                  />
                ) : (
                  <rect
                    key={day.date.getTime()}
                    x={x(at) - 4}
                    y={y(day.files) - 4}
                    width="8"
                    height="8"
                    className={styles.mark}
                  />
                ),
              )}
            </g>
          ))}
      {days.map((day, at) => (
        <text key={day.date.getTime()} x={x(at)} y={height - 6} textAnchor="middle" className={styles.tick}>
          {name(day)}
        </text>
      ))}
    </svg>
  );
}
