import type { ReactNode } from 'react';
import type { FileDetail as Detail, FileRow } from '../../api/types';
import { useLanguage, useT } from '../../i18n';
import { formatNumber, formatSize, remainingViews } from '../../shared/format';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { Button, buttonClass, Dialog, Time } from '../../shared/ui';
import { useRecord } from '../data/records';
import { Creator, Expiry, remainingText, State } from '../share/cells';
import styles from '../share/share.module.css';
import { Facts } from '../share/Facts';
import { providerName } from '../share/provider';

/** FileDetail shows what is known of a file to its owner, which takes no view. */
export function FileDetail({ row, onClose }: { row: FileRow; onClose: () => void }) {
  const t = useT();
  const language = useLanguage();
  const { data, error, retry } = useRecord<FileRow & Partial<Detail>>('file-management', row.id);
  const file = data ?? row;
  const urls = data?.urls;
  const left = remainingViews(file.max_views, file.views);
  const groups: [string, [string, ReactNode][]][] = [
    [
      t('admin.files.basic'),
      [
        [t('admin.files.name'), file.filename],
        [t('admin.share.slug'), <code key="slug">{file.slug}</code>],
        [t('admin.files.size'), formatSize(file.size, language)],
        [t('admin.files.type'), file.mimetype],
        [t('admin.share.remark'), file.remark],
        [t('admin.share.creator'), <Creator key="creator" row={file} />],
      ],
    ],
    [
      t('admin.files.statistics'),
      [
        [t('admin.share.state'), <State key="state" row={file} />],
        [t('admin.share.views'), formatNumber(file.views, language)],
        [t('admin.share.remaining'), remainingText(left, language, t)],
        [t('admin.share.expiry'), <Expiry key="expiry" row={file} />],
        [t('shareEdit.access'), t(file.use_proxy ? 'shareEdit.proxied' : 'shareEdit.direct')],
      ],
    ],
    [
      t('admin.files.storageFacts'),
      [
        [t('admin.files.storage'), file.storage_config_name ?? t('admin.words.unknown')],
        [
          t('admin.files.provider'),
          file.storage_provider_type && providerName(file.storage_provider_type, t),
        ],
        [t('admin.files.path'), <code key="path">{file.storage_path}</code>],
        [t('admin.files.mounted'), file.file_path && <code>{file.file_path}</code>],
        [t('admin.files.etag'), file.etag && <code>{file.etag}</code>],
        [t('admin.share.created'), <Time key="created" value={file.created_at} />],
      ],
    ],
  ];
  return (
    <Dialog
      wide
      title={t('admin.files.detail', { name: row.filename })}
      onClose={onClose}
      footer={
        <>
          {urls && (
            <>
              <a className={buttonClass()} href={urls.downloadUrl ?? urls.proxyDownloadUrl}>
                {t('admin.files.download')}
              </a>
              {/* The owner's own address, which asks for no password and takes no view. */}
              <a
                className={buttonClass('primary')}
                href={urls.previewUrl ?? urls.proxyPreviewUrl}
                target="_blank"
                rel="noopener"
              >
                {t('admin.share.preview')}
              </a>
            </>
          )}
          <Button onClick={onClose}>{t('common.close')}</Button>
        </>
      }
    >
      <div className={styles.stack} role="region" aria-label={row.filename} tabIndex={0}>
        {error && <ErrorPanel error={error} onRetry={retry} />}
        {groups.map(([title, facts]) => (
          <section key={title}>
            <h3>{title}</h3>
            <Facts of={facts} />
          </section>
        ))}
      </div>
    </Dialog>
  );
}
