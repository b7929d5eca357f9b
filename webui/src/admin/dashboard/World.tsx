import type { SharedItem } from '../../api/admin/operations';
import { useLanguage, useT } from '../../i18n';
import { formatNumber } from '../../shared/format';
import { Time } from '../../shared/ui';
import { neverEnds } from '../keys/expiry';
import { listLink } from '../list/listLink';
import { Link } from '../router';
import { Views } from '../share/cells';
import styles from './dashboard.module.css';
import { soon, type Overview } from './overview';

const shareLink = ({ slug }: SharedItem) => listLink('shares', { q: slug });
const nameOf = ({ name, slug }: SharedItem) => name || slug;

/** World shows what is shared with the world: how much, what nobody looks after, and what is opened most. */
export function World({ shares }: Overview) {
  const t = useT();
  const language = useLanguage();
  if (!shares) return null;
  const counts = [
    ['total', shares.total, '/admin/shares'],
    ['never', shares.never, listLink('shares', { only: 'never_expires' })],
    ['unused', shares.unused, listLink('shares', { only: 'unused' })],
  ] as const;
  return (
    <section className={styles.panel}>
      <h2>{t('admin.dashboard.world.title')}</h2>
      <dl className={styles.facts}>
        {counts.map(([name, count, to]) => (
          <div key={name}>
            <dt>{t(`admin.dashboard.world.${name}`)}</dt>
            <dd>
              <Link to={to}>{formatNumber(count, language)}</Link>
            </dd>
          </div>
        ))}
      </dl>
      {shares.viewed.length > 0 && (
        <>
          <h3>{t('admin.dashboard.world.viewed')}</h3>
          <ol className={styles.rows}>
            {shares.viewed.map((share) => (
              <li key={share.kind + share.id}>
                <Link to={shareLink(share)}>{nameOf(share)}</Link>
                <span>
                  <Views row={share} />
                </span>
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

/** Ending shows the keys and shares that end within a week, the soonest first. */
export function Ending({ shares, endingKeys, at }: Overview) {
  const t = useT();
  const until = at.getTime() + soon * 86_400_000;
  const keys = endingKeys.filter(
    ({ expires_at: end }) => !neverEnds(end) && Date.parse(end) > at.getTime() && Date.parse(end) <= until,
  );
  const others = (shares?.endingTotal ?? 0) - (shares?.ending.length ?? 0);
  const rows = [
    ...keys.map(({ id, name, expires_at: end }) => ({
      key: `key ${id}`,
      to: `/admin/key-management/${id}`,
      name: t('admin.words.key', { name }),
      end,
    })),
    ...(shares?.ending ?? []).map((share) => ({
      key: share.kind + share.id,
      to: shareLink(share),
      name: nameOf(share),
      end: share.expires_at ?? '',
    })),
  ].sort((a, b) => Date.parse(a.end) - Date.parse(b.end));
  return (
    <section className={styles.panel}>
      <h2>{t('admin.dashboard.ending.title')}</h2>
      {rows.length === 0 && <p className={styles.label}>{t('admin.dashboard.ending.none')}</p>}
      <ol className={styles.rows}>
        {rows.map(({ key, to, name, end }) => (
          <li key={key}>
            <Link to={to}>{name}</Link>
            <Time value={end} relative />
          </li>
        ))}
      </ol>
      {others > 0 && (
        <Link to={listLink('shares', { only: `ends_days ${soon}` })}>
          {t('admin.dashboard.ending.more', others)}
        </Link>
      )}
    </section>
  );
}
