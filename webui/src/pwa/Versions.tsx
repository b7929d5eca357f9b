import { useQuery } from '@tanstack/react-query';
import { getPaste } from '../api/pastes';
import type { PasteDetail } from '../api/types';
import { useT } from '../i18n';
import type { QueueItem } from '../shared/offline/db';
import { queryClient } from '../shared/query/client';
import { Button, Time } from '../shared/ui';
import { useStore } from '../store';
import { discard, isTaken, slugField, textOf } from './queue';
import styles from './QueueDialog.module.css';
import { resend } from './sync';
import { appState } from './worker';

/** Versions shows what the server holds beside what was written here, and lets one of them win unless a link suffix is taken. */
export default function Versions({ item }: { item: QueueItem }) {
  const t = useT();
  const { online } = useStore(appState);
  const taken = isTaken(item);
  const name = taken ? textOf(item.data[slugField(item)]) : (item.endpoint.split('/').at(-1) ?? '');
  // What cannot be read is a share that this account may not see, or that is gone.
  const { data: theirs, isError: hidden } = useQuery(
    { queryKey: ['queue', 'theirs', name], queryFn: ({ signal }) => getPaste(name, signal), enabled: online },
    queryClient,
  );

  return (
    <>
      <div className={styles.versions}>
        <Version title={t('pwa.queue.mine')} text={textOf(item.data.content)} facts={mineOf(item)} />
        {hidden ? (
          <section>
            <h4>{t('pwa.queue.theirs')}</h4>
            <p className={styles.facts}>{t('pwa.queue.hidden')}</p>
          </section>
        ) : (
          <Version
            title={t('pwa.queue.theirs')}
            text={theirs?.paste.content ?? ''}
            facts={theirs && theirsOf(theirs.paste, item)}
          />
        )}
      </div>
      {!taken && (
        <div className={styles.actions}>
          <Button
            variant="primary"
            disabled={!online || !theirs || hidden}
            onClick={() => theirs && resend(item, { etag: theirs.etag })}
          >
            {t('pwa.queue.keepMine')}
          </Button>
          <Button onClick={() => void discard(item.id)}>{t('pwa.queue.keepTheirs')}</Button>
        </div>
      )}
    </>
  );
}

type Facts = Partial<Record<'slug' | 'remark' | 'expiresAt' | 'maxViews', string>>;

/** mineOf is what a write says of a share besides its text. */
function mineOf(item: QueueItem): Facts {
  const { remark, expiresAt, maxViews } = item.data;
  const slug = item.data[slugField(item)];
  // Forms say 0 for no limit, the server says nothing.
  return shown({ slug, remark, expiresAt, maxViews: maxViews === 0 ? null : maxViews });
}

/** theirsOf is what the server has of the same. */
function theirsOf(paste: PasteDetail, item: QueueItem): Facts {
  const asked = Object.keys(mineOf(item));
  const all = {
    slug: paste.slug,
    remark: paste.remark,
    expiresAt: paste.expires_at,
    maxViews: paste.max_views,
  };
  return shown(Object.fromEntries(Object.entries(all).filter(([field]) => asked.includes(field))));
}

const shown = (facts: Record<string, unknown>): Facts =>
  Object.fromEntries(
    Object.entries(facts)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => [field, typeof value === 'number' ? String(value) : textOf(value)]),
  );

function Version({ title, text, facts = {} }: { title: string; text: string; facts?: Facts | undefined }) {
  const t = useT();
  return (
    <section>
      <h4>{title}</h4>
      <pre className={styles.text} tabIndex={0} aria-label={title}>
        {text}
      </pre>
      <dl className={styles.facts}>
        {Object.entries(facts).map(([field, value]) => (
          <div key={field}>
            <dt>{t(`pwa.field.${field}`)}</dt>
            <dd>{field === 'expiresAt' && value ? <Time value={value} /> : value || t('pwa.none')}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
