import { lazy, Suspense, useState } from 'react';
import type { PasteDetail, PasteRow } from '../../api/types';
import { config } from '../../config';
import { useLanguage, useT } from '../../i18n';
import { formatNumber, remainingViews } from '../../shared/format';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { buttonClass, CopyButton, Dialog, Segmented, Skeleton, Time } from '../../shared/ui';
import { useFreshRecord } from '../data/records';
import { Expiry } from '../share/cells';
import styles from '../share/share.module.css';

const MarkdownView = lazy(() =>
  import('../../shared/markdown').then(({ Markdown }) => ({ default: Markdown })),
);

/** TextPreview shows a text to its owner, which takes no view. */
export function TextPreview({ row, onClose }: { row: PasteRow; onClose: () => void }) {
  const t = useT();
  const language = useLanguage();
  const [view, setView] = useState<'plain' | 'rendered'>('plain');
  const { data: paste, error, retry } = useFreshRecord<PasteDetail>('text-management', row.id);
  const left = remainingViews(row.max_views, paste?.views ?? row.views);
  return (
    <Dialog
      wide
      title={t('admin.texts.preview', { name: row.slug })}
      onClose={onClose}
      footer={
        <a
          className={buttonClass('primary')}
          href={`${config.basePath}/paste/${row.slug}`}
          target="_blank"
          rel="noopener"
        >
          {t('admin.share.open')}
        </a>
      }
    >
      <div className={styles.stack}>
        <dl className={styles.facts}>
          <div>
            <dt>ID</dt>
            <dd>
              <code>{row.id}</code>
            </dd>
          </div>
          <div>
            <dt>{t('admin.share.slug')}</dt>
            <dd>
              <code>{row.slug}</code>{' '}
              <CopyButton iconOnly text={row.slug} label={t('admin.share.copySlug')} />
            </dd>
          </div>
          <div>
            <dt>{t('admin.share.created')}</dt>
            <dd>
              <Time value={row.created_at} />
            </dd>
          </div>
          <div>
            <dt>{t('admin.share.expiry')}</dt>
            <dd>
              <Expiry row={row} />
            </dd>
          </div>
          <div>
            <dt>{t('admin.share.password')}</dt>
            <dd>{t(row.has_password ? 'admin.words.yes' : 'admin.words.no')}</dd>
          </div>
          <div>
            <dt>{t('admin.share.remaining')}</dt>
            <dd>
              {left === undefined
                ? t('common.unlimited')
                : left === 0
                  ? t('common.usedUp')
                  : formatNumber(left, language)}
            </dd>
          </div>
          {row.remark && (
            <div>
              <dt>{t('admin.share.remark')}</dt>
              <dd>{row.remark}</dd>
            </div>
          )}
        </dl>
        {error && <ErrorPanel error={error} onRetry={retry} />}
        {!paste && !error && <Skeleton lines={5} />}
        {paste && (
          <>
            <Segmented
              label={t('admin.texts.view')}
              value={view}
              onChange={setView}
              choices={[
                { value: 'plain', label: t('admin.texts.plain') },
                { value: 'rendered', label: t('admin.texts.rendered') },
              ]}
            />
            {view === 'plain' ? (
              <pre className={styles.text} tabIndex={0} role="region" aria-label={t('admin.texts.content')}>
                {paste.content}
              </pre>
            ) : (
              <Suspense fallback={<Skeleton lines={5} />}>
                <MarkdownView text={paste.content} />
              </Suspense>
            )}
          </>
        )}
      </div>
    </Dialog>
  );
}
