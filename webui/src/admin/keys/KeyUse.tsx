import { useLanguage, useT } from '../../i18n';
import { formatNumber } from '../../shared/format';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { useReading } from '../../shared/query/useReading';
import { Skeleton } from '../../shared/ui';
import { keyUseQuery } from '../data/queries';
import formStyles from '../form/form.module.css';
import { Chart } from '../share/Chart';
import chart from '../share/chart.module.css';

/** Days between two dates below the chart, which has no room for more. */
const ticks = 7;

/** KeyUse shows how often a key was used on each of the last 30 days, as a chart and as a table. */
export function KeyUse({ id }: { id: string }) {
  const t = useT();
  const language = useLanguage();
  const { data: value, error, retry } = useReading(keyUseQuery(id));
  if (error) return <ErrorPanel error={error} onRetry={retry} />;
  if (!value) return <Skeleton lines={4} />;
  if (value.total === 0) return <p className={formStyles.hint}>{t('admin.keys.unused')}</p>;
  const days = value.days.map(({ day, calls }) => ({ date: new Date(`${day}T00:00:00Z`), calls }));
  const name = (date: Date, form: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...form }).format(date);
  return (
    <>
      <p>{t('admin.keys.calls', value.total)}</p>
      <Chart
        days={days.map(({ date, calls }, at) => ({
          date,
          tick: (days.length - 1 - at) % ticks === 0 ? name(date, { month: 'numeric', day: 'numeric' }) : '',
          counts: [calls],
        }))}
        label={t('admin.keys.useChart')}
      />
      <details>
        <summary>{t('admin.dashboard.growth.table')}</summary>
        <table className={chart.table}>
          <thead>
            <tr>
              <th scope="col">{t('admin.dashboard.growth.day')}</th>
              <th scope="col">{t('admin.keys.requests')}</th>
            </tr>
          </thead>
          <tbody>
            {[...days].reverse().map(({ date, calls }) => (
              <tr key={date.getTime()}>
                <th scope="row">{name(date, { dateStyle: 'medium' })}</th>
                <td>{formatNumber(calls, language)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
