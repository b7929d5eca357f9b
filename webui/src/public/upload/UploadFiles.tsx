import { Upload } from 'lucide-react';
import { lazy, Suspense, useRef, useState, useSyncExternalStore } from 'react';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { ShareForm, useShareForm } from '../../shared/shareform';
import { Button, ErrorPanel, Segmented, Skeleton, toast } from '../../shared/ui';
import { DropZone } from './DropZone';
import { NoStorage } from './NoStorage';
import { PlacementFields } from './PlacementFields';
import { RecentUploads } from './RecentUploads';
import { Rejected, type Rejection } from './Rejected';
import { Results } from './Results';
import type { Chosen } from '../../shared/uploader/sources';
import styles from './upload.module.css';
import { listId, UploadList } from './UploadList';
import { termsOf, transferWith, uploads } from './uploads';
import { usePlacement } from './usePlacement';
import { useUploadSettings, type UploadSettings } from './useUploadSettings';
import { useUploadNotes } from './useUploadNotes';

const UploadUrl = lazy(() => import('./UploadUrl'));

/** UploadFiles is the work of the page: choose, set terms, send, get links. */
export function UploadFiles() {
  const t = useT();
  const [source, setSource] = useState<'files' | 'url'>('files');
  const [opened, setOpened] = useState(false);
  const { settings, failed, error, retry } = useUploadSettings();
  if (failed) return <ErrorPanel error={error} title={t('file.form.loadFailed')} onRetry={retry} />;
  if (!settings) return <Skeleton height={220} />;
  if (settings.configs.length === 0) return <NoStorage />;
  return (
    <>
      <Segmented
        label={t('file.source.label')}
        value={source}
        onChange={(next) => {
          setSource(next);
          if (next === 'url') setOpened(true);
        }}
        choices={[
          { value: 'files', label: t('file.source.files') },
          { value: 'url', label: t('file.source.url') },
        ]}
      />
      {source === 'files' && <UploadForm settings={settings} />}
      {opened && (
        // A transfer goes on while its owner looks at the other tab.
        <div className={styles.tab} hidden={source !== 'url'}>
          <Suspense fallback={<Skeleton height={220} />}>
            <UploadUrl settings={settings} />
          </Suspense>
        </div>
      )}
    </>
  );
}

function UploadForm({ settings }: { settings: UploadSettings }) {
  const t = useT();
  const language = useLanguage();
  const form = useShareForm();
  const { items, totals } = useSyncExternalStore(uploads.subscribe, uploads.snapshot);
  const [rejected, setRejected] = useState<Rejection[]>([]);
  const placement = usePlacement(settings);
  const [missing, setMissing] = useState(false);
  const zone = useRef<HTMLDivElement>(null);
  const folder = useRef<HTMLDivElement>(null);
  useUploadNotes(totals);

  const pending = items.filter((item) => item.status === 'pending');
  const done = items.filter((item) => item.status === 'success');

  function add(files: Chosen[]) {
    const large = files.filter(({ file }) => file.size > settings.limit);
    const twice = uploads.add(files.filter(({ file }) => file.size <= settings.limit));
    setMissing(false);
    setRejected([
      ...large.map(({ file }) => ({ name: file.name, size: file.size, why: 'tooLarge' as const })),
      ...twice.map((file) => ({ name: file.name, size: file.size, why: 'twice' as const })),
    ]);
  }

  function send() {
    const formReady = form.check();
    if (pending.length === 0) {
      setMissing(true);
      zone.current?.querySelector('button')?.focus();
      return;
    }
    if (placement.problem) {
      folder.current?.querySelector('input')?.focus();
      return;
    }
    if (!formReady) return;
    uploads.start(transferWith(termsOf(form.values, placement)));
    requestAnimationFrame(() => document.getElementById(listId)?.scrollIntoView({ block: 'start' }));
  }

  function retryOne(id: number) {
    if (form.check()) uploads.retry(id, transferWith(termsOf(form.values, placement)));
    else toast.warning(t('errors.title'));
  }

  return (
    <>
      <div ref={zone}>
        <DropZone limit={formatSize(settings.limit, language)} onFiles={add} />
        <p role="alert" className={styles.problem}>
          {missing && t('file.form.noFiles')}
        </p>
        <Rejected list={rejected} limit={settings.limit} onClose={() => setRejected([])} />
      </div>
      {items.length > done.length && <UploadList items={items} totals={totals} onRetry={retryOne} />}
      <Results items={done} />
      <section className={styles.form} aria-labelledby="pp-upload-settings">
        <h2 id="pp-upload-settings">{t('file.form.title')}</h2>
        <PlacementFields placement={placement} folder={folder} />
        <ShareForm form={form} severalFiles={pending.length > 1} />
        <div className={styles.submit}>
          <Button variant="primary" icon={<Upload size={18} aria-hidden="true" />} onClick={send}>
            {pending.length > 0 ? t('file.form.submit', pending.length) : t('file.form.submitNone')}
          </Button>
        </div>
      </section>
      <RecentUploads refresh={done.length} />
    </>
  );
}
