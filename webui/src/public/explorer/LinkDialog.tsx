import { keepPreviousData } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { fileLink, type Entry } from '../../api/fs';
import { useLanguage, useT } from '../../i18n';
import { formatTime, parseTime } from '../../shared/format';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { useReading } from '../../shared/query/useReading';
import { CopyButton, Dialog, inputClass, Segmented, SelectField } from '../../shared/ui';
import styles from './explorer.module.css';

/** Lifetimes one can choose, in seconds; 0 is what the storage gives by itself. */
const lifetimes = [0, 3600, 86_400, 604_800] as const;

/** LinkDialog makes a link to a file that needs no sign-in, and says how long it is good. */
export default function LinkDialog({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const t = useT();
  const language = useLanguage();
  const field = useRef<HTMLInputElement>(null);
  const [mode, setMode] = useState<'view' | 'download'>('view');
  const [life, setLife] = useState(0);
  const {
    data: link,
    error,
    retry,
  } = useReading({
    queryKey: ['link', entry.path, mode, life],
    queryFn: ({ signal }) =>
      fileLink(entry.path, { download: mode === 'download', ...(life > 0 && { expiresIn: life }) }, signal),
    placeholderData: keepPreviousData,
  });
  const address = link ? new URL(link.presignedUrl, location.href).href : '';
  return (
    <Dialog title={t('explorerDialogs.link.title', { name: entry.name })} onClose={onClose}>
      <div className={styles.form}>
        <Segmented
          label={t('explorerDialogs.link.mode')}
          value={mode}
          onChange={setMode}
          choices={[
            { value: 'view', label: t('explorerDialogs.link.view') },
            { value: 'download', label: t('explorerDialogs.link.download') },
          ]}
        />
        <SelectField
          label={t('explorerDialogs.link.life')}
          value={String(life)}
          choices={lifetimes.map((seconds) => ({
            value: String(seconds),
            label: t(`explorerDialogs.link.lives.s${seconds}`),
          }))}
          onChange={(event) => setLife(Number(event.target.value))}
        />
        {error ? (
          <ErrorPanel error={error} onRetry={retry} />
        ) : (
          <>
            <div className={styles.linkRow}>
              <input
                ref={field}
                className={inputClass}
                readOnly
                value={address}
                aria-label={t('explorerDialogs.link.label')}
                onFocus={(event) => event.target.select()}
              />
              <CopyButton
                variant="primary"
                text={address}
                label={t('explorerDialogs.link.copy')}
                selects={field}
              />
            </div>
            <p className={styles.hint} role="status">
              {link &&
                (link.expiresAt && link.expiresIn
                  ? t('explorerDialogs.link.ends', { time: formatTime(parseTime(link.expiresAt), language) })
                  : t('explorerDialogs.link.endless'))}
            </p>
          </>
        )}
      </div>
    </Dialog>
  );
}
