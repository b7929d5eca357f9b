import { Upload } from 'lucide-react';
import { useRef, useState, useSyncExternalStore } from 'react';
import { readStored, writeStored } from '../../config';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { expiresInHours, maxViewsOf, ShareForm, useShareForm } from '../../shared/shareform';
import { Button, ErrorPanel, Segmented, SelectField, Skeleton, TextField, toast } from '../../shared/ui';
import { DropZone } from './DropZone';
import { NoStorage } from './NoStorage';
import { RecentUploads } from './RecentUploads';
import { Rejected, type Rejection } from './Rejected';
import { Results } from './Results';
import type { Chosen } from './sources';
import styles from './upload.module.css';
import { listId, UploadList } from './UploadList';
import { transferWith, uploads, type Terms } from './uploads';
import { useUploadSettings, type UploadSettings } from './useUploadSettings';
import { useUploadNotes } from './useUploadNotes';

const storageKey = 'pp.uploadStorage';

/** UploadFiles is the work of the page: choose, set terms, send, get links. */
export function UploadFiles() {
  const t = useT();
  const { settings, failed, error, retry } = useUploadSettings();
  if (failed) return <ErrorPanel error={error} title={t('file.form.loadFailed')} onRetry={retry} />;
  if (!settings) return <Skeleton height={220} />;
  if (settings.configs.length === 0) return <NoStorage />;
  return <UploadForm settings={settings} />;
}

function UploadForm({ settings }: { settings: UploadSettings }) {
  const t = useT();
  const language = useLanguage();
  const form = useShareForm();
  const { items, totals } = useSyncExternalStore(uploads.subscribe, uploads.snapshot);
  const [rejected, setRejected] = useState<Rejection[]>([]);
  const [config, setConfig] = useState(() => firstConfig(settings));
  const [path, setPath] = useState('');
  const [useProxy, setUseProxy] = useState(settings.useProxy);
  const [missing, setMissing] = useState(false);
  const zone = useRef<HTMLDivElement>(null);
  const folder = useRef<HTMLDivElement>(null);
  useUploadNotes(totals);

  const pending = items.filter((item) => item.status === 'pending');
  const done = items.filter((item) => item.status === 'success');
  const pathProblem = folderProblem(path);

  function add(files: Chosen[]) {
    const large = files.filter(({ file }) => file.size > settings.limit);
    const twice = uploads.add(files.filter(({ file }) => file.size <= settings.limit));
    setMissing(false);
    setRejected([
      ...large.map(({ file }) => ({ name: file.name, size: file.size, why: 'tooLarge' as const })),
      ...twice.map((file) => ({ name: file.name, size: file.size, why: 'twice' as const })),
    ]);
  }

  function terms(): Terms {
    const { values } = form;
    return {
      s3_config_id: config,
      use_proxy: useProxy,
      expires_in: expiresInHours(values, new Date()),
      max_views: maxViewsOf(values),
      ...(path.trim() && { path: path.trim() }),
      ...(values.slug.trim() && { slug: values.slug.trim() }),
      ...(values.remark.trim() && { remark: values.remark.trim() }),
      ...(values.password && { password: values.password }),
    };
  }

  function send() {
    const formReady = form.check();
    if (pending.length === 0) {
      setMissing(true);
      zone.current?.querySelector('button')?.focus();
      return;
    }
    if (pathProblem) {
      folder.current?.querySelector('input')?.focus();
      return;
    }
    if (!formReady) return;
    uploads.start(transferWith(terms()));
    requestAnimationFrame(() => document.getElementById(listId)?.scrollIntoView({ block: 'start' }));
  }

  function retryOne(id: number) {
    if (form.check()) uploads.retry(id, transferWith(terms()));
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
        <div className={styles.fields}>
          <SelectField
            label={t('file.form.storage')}
            value={config}
            choices={settings.configs.map((choice) => ({
              value: choice.id,
              label: t('file.form.storageChoice', { name: choice.name, provider: choice.provider_type }),
            }))}
            onChange={(event) => {
              setConfig(event.target.value);
              writeStored(storageKey, event.target.value);
            }}
          />
          <div ref={folder}>
            <TextField
              label={t('file.form.path')}
              hint={t('file.form.pathHint')}
              optional
              value={path}
              autoCapitalize="none"
              spellCheck={false}
              error={pathProblem ? t('file.form.pathWrong') : undefined}
              onChange={(event) => setPath(event.target.value)}
            />
          </div>
          <div className={styles.access}>
            <span className={styles.accessLabel} aria-hidden="true">
              {t('file.form.access')}
            </span>
            <Segmented
              label={t('file.form.access')}
              value={useProxy ? 'proxy' : 'direct'}
              onChange={(value) => setUseProxy(value === 'proxy')}
              choices={[
                { value: 'proxy', label: t('file.form.proxy') },
                { value: 'direct', label: t('file.form.direct') },
              ]}
            />
            <p className={styles.hint}>{t('file.form.accessHint')}</p>
          </div>
        </div>
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

function firstConfig({ configs }: UploadSettings): string {
  const last = readStored(storageKey);
  const known = configs.find((config) => config.id === last);
  return (known ?? configs.find((config) => config.is_default) ?? configs[0])?.id ?? '';
}

/** folderProblem says whether the server would refuse a folder; empty segments it drops itself. */
export function folderProblem(path: string): boolean {
  return path.includes('\\') || path.split('/').some((part) => part.trim() === '.' || part.trim() === '..');
}
