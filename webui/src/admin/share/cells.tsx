import { CircleAlert, KeyRound, LockKeyhole, TimerOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { useResourceContext } from 'react-admin';
import { useLanguage, useT, type Language, type Translate } from '../../i18n';
import { formatNumber, parseTime, remainingViews } from '../../shared/format';
import { Time } from '../../shared/ui';
import { Link } from '../router';
import styles from './share.module.css';

/** What the lists of texts and files say of a share in the same way. */
export interface ShareRow {
  id: string;
  slug: string;
  remark: string | null;
  created_at: string;
  created_by: string;
  views: number;
  max_views: number | null;
  expires_at: string | null;
  has_password: boolean | 0 | 1;
  key_name?: string | null;
}

const isExpired = (row: ShareRow, now = Date.now()) =>
  row.expires_at !== null && parseTime(row.expires_at).getTime() <= now;

const isUsedUp = (row: ShareRow) => remainingViews(row.max_views, row.views) === 0;

/** Chip says one thing about a row, by words and an icon, not by its colour alone. */
export function Chip({
  tone,
  icon,
  children,
}: {
  tone?: 'ok' | 'warn' | 'danger';
  icon?: ReactNode;
  children: ReactNode;
}) {
  return (
    <span className={`${styles.chip} ${tone ? styles[tone] : ''}`}>
      {icon}
      {children}
    </span>
  );
}

/** State tells whether a share opens, and whether it asks for a password. */
export function State({ row }: { row: ShareRow }) {
  const t = useT();
  const expired = isExpired(row);
  const usedUp = isUsedUp(row);
  return (
    <span className={styles.chips}>
      {expired && (
        <Chip tone="danger" icon={<TimerOff size={14} />}>
          {t('admin.share.expired')}
        </Chip>
      )}
      {usedUp && (
        <Chip tone="danger" icon={<CircleAlert size={14} />}>
          {t('admin.share.usedUp')}
        </Chip>
      )}
      {!expired && !usedUp && <Chip tone="ok">{t('admin.share.active')}</Chip>}
      {Boolean(row.has_password) && <Chip icon={<LockKeyhole size={14} />}>{t('admin.share.password')}</Chip>}
    </span>
  );
}

/** stateText is State for exports. */
export const stateText = (row: ShareRow, t: Translate): string =>
  [
    isExpired(row) && t('admin.share.expired'),
    isUsedUp(row) && t('admin.share.usedUp'),
    !isExpired(row) && !isUsedUp(row) && t('admin.share.active'),
    Boolean(row.has_password) && t('admin.share.password'),
  ]
    .filter(Boolean)
    .join(', ');

export function Expiry({ row }: { row: Pick<ShareRow, 'expires_at'> }) {
  const t = useT();
  return row.expires_at ? <Time value={row.expires_at} relative /> : <>{t('admin.share.neverEnds')}</>;
}

/** Fewer views left than this are pointed out. */
const few = 3;

type Viewed = Pick<ShareRow, 'views' | 'max_views'>;

/** viewsText says how often a share was opened, and of how many times where it has a limit. */
export function viewsText({ views, max_views: most }: Viewed, language: Language, t: Translate): string {
  const said = formatNumber(views, language);
  return most ? t('admin.share.viewsOf', { views: said, max: formatNumber(most, language) }) : said;
}

export function Views({ row }: { row: Viewed }) {
  const t = useT();
  const text = viewsText(row, useLanguage(), t);
  return (remainingViews(row.max_views, row.views) ?? few) < few ? (
    <Chip tone="warn" icon={<CircleAlert size={14} />}>
      {text}
    </Chip>
  ) : (
    <>{text}</>
  );
}

/** remainingText says how many views are left. */
export const remainingText = (left: number | undefined, language: Language, t: Translate): string =>
  left === undefined ? t('common.unlimited') : left === 0 ? t('common.usedUp') : formatNumber(left, language);

type MadeBy = Pick<ShareRow, 'created_by' | 'key_name'>;

/** creatorText says who made a share: the administrator, or a key by its name. */
export function creatorText(row: MadeBy, t: Translate): string {
  if (!row.created_by.startsWith('apikey:')) return t('admin.words.admin');
  return row.key_name ? t('admin.words.key', { name: row.key_name }) : t('admin.words.gone');
}

export function Creator({ row }: { row: MadeBy }) {
  const t = useT();
  const key = row.created_by.startsWith('apikey:');
  return (
    <span className={styles.creator}>
      {key && <KeyRound size={14} />}
      {creatorText(row, t)}
    </span>
  );
}

/** RecordLink is the name of a row, which leads to its form, and what is said beside it. */
export function RecordLink({ row, children }: { row: { id: string; name: string }; children?: ReactNode }) {
  const resource = useResourceContext();
  return (
    <span className={styles.file}>
      <Link to={`/admin/${resource}/${row.id}`}>{row.name}</Link>
      {children}
    </span>
  );
}
