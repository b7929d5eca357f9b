import { useLanguage, useT } from '../../i18n';
import { formatRelative, formatTime, formatTimeWithZone, parseTime } from '../format';

interface TimeProps {
  /** value as the API sends it. */
  value: string;
  /** relative shows "in 3 days" and keeps the absolute time in the tooltip. */
  relative?: boolean;
}

/** Time shows a time of the API in the browser's zone. */
export function Time({ value, relative = false }: TimeProps) {
  const language = useLanguage();
  const time = parseTime(value);
  if (Number.isNaN(time.getTime())) return <>{value}</>;
  const absolute = formatTime(time, language);
  return (
    <time dateTime={time.toISOString()} title={formatTimeWithZone(time, language)}>
      {relative ? formatRelative(time, new Date(), language) : absolute}
      {relative && <span className="visually-hidden"> ({absolute})</span>}
    </time>
  );
}

interface TimeInProps extends TimeProps {
  /** sentence is the key of a text with a %{time} in it. */
  sentence: string;
  /** values are what else stands in it. */
  values?: Record<string, string>;
}

/** TimeIn is a sentence with a time in it. */
export function TimeIn({ sentence, values, ...time }: TimeInProps) {
  const [before, after] = useT()(sentence, { ...values, time: '\0' }).split('\0');
  return (
    <>
      {before}
      <Time {...time} />
      {after}
    </>
  );
}
