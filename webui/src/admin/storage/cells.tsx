import type { Config } from '../../api/admin/storage';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { levelOf, percentOf } from '../../shared/meter/level';
import { Meter } from '../../shared/meter/Meter';
import { Time } from '../../shared/ui';
import { Chip } from '../share/cells';
import styles from '../share/share.module.css';

/** Capacity says how much of a storage is used, of how much where it has a limit. */
export function Capacity({ used, limit }: { used: number; limit: number }) {
  const t = useT();
  const language = useLanguage();
  const percent = percentOf(used, limit);
  if (percent === undefined) return t('admin.dashboard.usage.used', { used: formatSize(used, language) });
  const level = levelOf(percent);
  return (
    <>
      {t('admin.dashboard.usage.of', {
        used: formatSize(used, language),
        total: formatSize(limit, language),
      })}
      {level !== 'fine' && ` (${t(`admin.dashboard.usage.${level}`)})`}
      <Meter percent={percent} label={t('admin.storage.space')} />
    </>
  );
}

/** LastTest says how the last test ended, and when. */
export function LastTest({ row: { tested } }: { row: Config }) {
  const t = useT();
  if (!tested) return t('admin.storage.healthStates.unknown');
  const tone = { full: 'ok', partial: 'warn', unusable: 'danger' } as const;
  return (
    <span className={styles.chips}>
      <Chip tone={tone[tested.verdict]}>{t(`admin.storage.verdict.${tested.verdict}`)}</Chip>
      <Time value={tested.at} relative />
    </span>
  );
}

/** Health says whether the storage answered lately. */
export function Health({ row }: { row: Config }) {
  const t = useT();
  const state = row.health?.state ?? 'unknown';
  const tone = { ok: 'ok', unknown: undefined, refused: 'danger', down: 'danger' } as const;
  return (
    <span title={row.health?.message}>
      <Chip {...(tone[state] && { tone: tone[state] })}>{t(`admin.storage.healthStates.${state}`)}</Chip>
    </span>
  );
}
