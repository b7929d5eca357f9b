import { useId } from 'react';
import styles from './chart.module.css';

interface ChartDay {
  date: Date;
  /** tick is what stands below the day; it may be empty. */
  tick: string;
  /** counts are one or two numbers, of all days as many. */
  counts: readonly number[];
}

interface ChartProps {
  days: readonly ChartDay[];
  form?: 'bars' | 'lines';
  /** label is what the chart is called for those who do not see it. */
  label: string;
}

const width = 420;
const height = 160;
const ground = height - 24;

/** Chart draws counts per day; the second count is told from the first by a pattern, not by colour alone. */
export function Chart({ days, form = 'bars', label }: ChartProps) {
  const id = useId();
  const series = days[0]?.counts.map((_, of) => of) ?? [];
  const most = Math.max(1, ...days.flatMap((day) => day.counts));
  const step = width / Math.max(1, days.length);
  const y = (count = 0) => ground - (count / most) * (ground - 12);
  const x = (at: number) => at * step + step / 2;
  const bar = Math.min(14, (step - 2) / Math.max(1, series.length) - 2);
  const left = (at: number, of: number) => x(at) + (of - series.length / 2) * (bar + 2) + 1;
  return (
    <svg viewBox={`0 0 ${width} ${height}`} className={styles.chart} role="img" aria-label={label}>
      <defs>
        <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="6" height="6" className={styles.ground} />
          <line x1="0" y1="0" x2="0" y2="6" className={styles.stripe} />
        </pattern>
      </defs>
      <line x1="0" y1={ground} x2={width} y2={ground} className={styles.axis} />
      {series.map((of) =>
        form === 'bars' ? (
          <g key={of}>
            {days.map((day, at) => (
              <rect
                key={day.date.getTime()}
                x={left(at, of)}
                y={y(day.counts[of])}
                width={bar}
                height={ground - y(day.counts[of])}
                className={of === 0 ? styles.first : styles.second}
                {...(of > 0 && { fill: `url(#${id})` })}
              />
            ))}
          </g>
        ) : (
          <g key={of}>
            <polyline
              points={days.map((day, at) => `${x(at)},${y(day.counts[of])}`).join(' ')}
              className={`${styles.line} ${of === 0 ? styles.firstLine : styles.secondLine}`}
            />
            {days.map((day, at) =>
              of === 0 ? (
                <circle
                  key={day.date.getTime()}
                  cx={x(at)}
                  cy={y(day.counts[of])}
                  r="4"
                  className={styles.first}
                />
              ) : (
                <rect
                  key={day.date.getTime()}
                  x={x(at) - 4}
                  y={y(day.counts[of]) - 4}
                  width="8"
                  height="8"
                  className={styles.mark}
                />
              ),
            )}
          </g>
        ),
      )}
      {days.map(
        (day, at) =>
          day.tick && (
            <text
              key={day.date.getTime()}
              x={x(at)}
              y={height - 6}
              textAnchor="middle"
              className={styles.tick}
            >
              {day.tick}
            </text>
          ),
      )}
    </svg>
  );
}
