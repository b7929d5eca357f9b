import { lazy, Suspense, useState } from 'react';
import type { PasteDetail, PasteRow } from '../../api/types';
import { config } from '../../config';
import { useLanguage, useT } from '../../i18n';
import { remainingViews } from '../../shared/format';
import { buttonClass, CopyButton, Dialog, Segmented, Skeleton, Time } from '../../shared/ui';
import { useFreshRecord } from '../data/records';
import { Loaded } from '../ops/Loaded';
import { Expiry, remainingText } from '../share/cells';
import styles from '../share/share.module.css';
import { Facts } from '../share/Facts';

const MarkdownView = lazy(() =>
  import('../../shared/markdown/Markdown').then(({ Markdown }) => ({ default: Markdown })),
);

/** TextPreview shows a text to its owner, which takes no view. */
export function TextPreview({ row, onClose }: { row: PasteRow; onClose: () => void }) {
  const t = useT();
  const language = useLanguage();
  const [view, setView] = useState<'plain' | 'rendered'>('plain');
  const read = useFreshRecord<PasteDetail>('text-management', row.id);
  const left = remainingViews(row.max_views, read.data?.views ?? row.views);
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
        <Facts
          of={[
            ['ID', <code key="id">{row.id}</code>],
            [
              t('admin.share.slug'),
              <>
                <code>{row.slug}</code>{' '}
                <CopyButton iconOnly text={row.slug} label={t('admin.share.copySlug')} />
              </>,
            ],
            [t('admin.share.created'), <Time key="created" value={row.created_at} />],
            [t('admin.share.expiry'), <Expiry key="expiry" row={row} />],
            [t('admin.share.password'), t(row.has_password ? 'admin.words.yes' : 'admin.words.no')],
            [t('admin.share.remaining'), remainingText(left, language, t)],
            [t('admin.share.remark'), row.remark],
          ]}
        />
        <Loaded of={read} lines={5}>
          {(paste) => (
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
        </Loaded>
      </div>
    </Dialog>
  );
}
