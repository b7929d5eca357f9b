import { useId } from 'react';
import type { PublicFile } from '../../api/types';
import { pageUrl } from '../../config';
import { useLanguage, useT } from '../../i18n';
import { formatNumber } from '../../shared/format';
import { CopyButton, Time } from '../../shared/ui';
import styles from './file.module.css';

/** Facts is the grid of what is known about a file. */
export function Facts({ file }: { file: PublicFile }) {
  const t = useT();
  const language = useLanguage();
  const title = useId();
  const link = pageUrl(`/file/${file.slug}`);
  const views = formatNumber(file.views, language);
  return (
    <section aria-labelledby={title} className={styles.facts}>
      <h2 id={title}>{t('fileView.facts.title')}</h2>
      <dl>
        <div>
          <dt>{t('fileView.facts.created')}</dt>
          <dd>
            <Time value={file.created_at} />
          </dd>
        </div>
        <div>
          <dt>{t('fileView.facts.views')}</dt>
          <dd>
            {file.max_views
              ? t('fileView.facts.viewsOf', { views, limit: formatNumber(file.max_views, language) })
              : views}
          </dd>
        </div>
        <div>
          <dt>{t('fileView.facts.expires')}</dt>
          <dd>
            {file.expires_at ? (
              <>
                <Time value={file.expires_at} relative /> (<Time value={file.expires_at} />)
              </>
            ) : (
              t('fileView.facts.never')
            )}
          </dd>
        </div>
        <div>
          <dt>{t('fileView.facts.access')}</dt>
          <dd>{t(file.use_proxy ? 'fileView.facts.proxied' : 'fileView.facts.direct')}</dd>
        </div>
        {file.checksum?.algorithm === 'etag' && (
          <div className={styles.wide}>
            <dt>{t('fileView.facts.etag')}</dt>
            <dd className={styles.link}>
              <code>{file.checksum.value}</code>
              <CopyButton iconOnly text={file.checksum.value} label={t('fileView.facts.copyChecksum')} />
            </dd>
          </div>
        )}
        {!file.isLastView && (
          <div className={styles.wide}>
            <dt>{t('fileView.facts.link')}</dt>
            <dd className={styles.link}>
              <a href={link}>{link}</a>
              <CopyButton iconOnly text={link} label={t('fileView.facts.copyLink')} />
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}
