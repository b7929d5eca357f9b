import { Link2, Search } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useAborter } from '../../hooks/useAborter';
import { useAnnounced } from '../../shared/page';
import { urlFetch, urlInfo, type UrlInfo } from '../../api/urls';
import { useLanguage, useT, type Translate } from '../../i18n';
import { formatSize } from '../../shared/format';
import { FileGlyph } from '../../shared/preview/FileGlyph';
import { kindName } from '../../shared/preview/KindIcon';
import { filesChanged } from '../../shared/query/files';
import { tasksChanged } from '../../shared/query/tasks';
import { ShareForm, useShareForm } from '../../shared/shareform';
import { Button, SelectField, TextField, toast } from '../../shared/ui';
import { isCancelled } from '../../shared/uploader/errors';
import { Progress } from '../../shared/uploader/Progress';
import type { RemoteStep, RemoteTerms } from '../../shared/uploader/remote';
import type { RemotePace } from '../../shared/uploader/remoteMeter';
import { PlacementFields } from './PlacementFields';
import {
  amendRemote,
  dropRemote,
  followShared,
  hideRemotes,
  runRemote,
  stopRemote,
  useRemote,
  type RemoteJob,
} from './remoteJob';
import { Results } from './Results';
import { ServerFetches } from './ServerFetches';
import rows from '../../shared/uploader/row.module.css';
import styles from './upload.module.css';
import { uploadErrorText } from '../../shared/uploader/uploadErrorText';
import { termsOf } from './terms';
import { usePlacement } from './usePlacement';
import type { UploadSettings } from './queries';

/** methods are how the content gets to the storage. */
const methods = ['auto', 'single', 'parts', 'server'] as const;

interface UploadUrlProps {
  settings: UploadSettings;
}

/** UploadUrl shares what an address of another site holds. */
export default function UploadUrl({ settings }: UploadUrlProps) {
  const t = useT();
  // A transfer that was begun on an earlier visit of the page is found as it was left.
  const { job, shared } = useRemote();
  const form = useShareForm(job?.values);
  const placement = usePlacement(settings);
  const look = useAborter();
  const [address, setAddress] = useState(job?.info.url ?? '');
  const [problem, setProblem] = useState<string>();
  const [looking, setLooking] = useState(false);
  const [info, setInfo] = useState(job?.info);
  const [name, setName] = useState(job?.name ?? '');
  const [method, setMethod] = useState<(typeof methods)[number]>('auto');
  const [failure, setFailure] = useState<string>();

  const step = job?.step;
  const busy = step !== undefined;

  const finish = useEffectEvent(() => {
    clear();
    form.reset();
  });
  useEffect(() => followShared(() => finish()), []);

  async function analyze() {
    const url = address.trim();
    if (!isWebAddress(url)) {
      setProblem(t('file.url.wrong'));
      return;
    }
    const signal = look();
    setLooking(true);
    setProblem(undefined);
    try {
      const found = await urlInfo(url, signal);
      setInfo(found);
      setName(found.filename);
    } catch (error) {
      if (!signal.aborted) setProblem(uploadErrorText(error, t));
    }
    setLooking(false);
  }

  function clear() {
    setInfo(undefined);
    setFailure(undefined);
    setAddress('');
    dropRemote();
  }

  async function send() {
    const ready = form.check();
    if (!info) setProblem(t('file.url.first'));
    if (!info || placement.problem || !ready) {
      form.lead();
      return;
    }
    const filename = name.trim() || info.filename;
    const remark = form.values.remark.trim() || t('file.url.tag', { url: info.url.slice(0, 100) });
    setFailure(undefined);
    dropRemote();
    const terms = { ...termsOf(form.values, placement), remark, filename };
    if (method === 'server') await leaveToServer(info, terms);
    else if (await runRemote({ info, name, values: form.values }, terms, method))
      toast.success(t('file.url.done', { name: filename }));
  }

  async function leaveToServer(found: UrlInfo, terms: RemoteTerms) {
    const { url, filename, contentType, size } = found;
    const signal = look();
    setLooking(true);
    try {
      const known = size ?? 0;
      await urlFetch(
        { ...terms, url, size: known, metadata: { filename, contentType, size: known } },
        signal,
      );
      void tasksChanged();
      clear();
      form.reset();
    } catch (error) {
      if (!signal.aborted) setFailure(uploadErrorText(error, t));
    }
    setLooking(false);
  }

  return (
    <>
      <form
        className={styles.address}
        onSubmit={(event) => {
          event.preventDefault();
          void analyze();
        }}
      >
        <TextField
          label={t('file.url.label')}
          hint={t('file.url.hint')}
          type="url"
          inputMode="url"
          autoCapitalize="none"
          spellCheck={false}
          value={address}
          readOnly={busy}
          error={problem}
          onChange={(event) => {
            setAddress(event.target.value);
            setInfo(undefined);
            setProblem(undefined);
            dropRemote();
          }}
        />
        <Button type="submit" busy={looking} disabled={busy} icon={<Search size={18} />}>
          {t('file.url.analyze')}
        </Button>
      </form>
      {info && <RemoteFile info={info} name={name} busy={busy} onName={setName} onClear={clear} />}
      {step && <Fetching step={step} name={name} onCancel={stopRemote} />}
      <p role="alert" className={styles.problem}>
        {failure ?? failureOf(job, t)}
      </p>
      <ServerFetches />
      <Results
        files={shared}
        onChanged={(file) => {
          amendRemote(file);
          void filesChanged();
        }}
        onClear={hideRemotes}
      />
      <section className={styles.form} aria-labelledby="pp-url-settings">
        <h2 id="pp-url-settings">{t('file.form.title')}</h2>
        <PlacementFields placement={placement} />
        <ShareForm form={form} disabled={busy} />
        <details>
          <summary>{t('file.url.advanced')}</summary>
          <SelectField
            label={t('file.url.method')}
            value={method}
            choices={methods.map((value) => ({ value, label: t(`file.url.methods.${value}`) }))}
            onChange={(event) => setMethod(methods.find((one) => one === event.target.value) ?? 'auto')}
          />
          {method === 'server' && <p className={styles.hint}>{t('file.url.serverHint')}</p>}
        </details>
        <div className={styles.submit}>
          <Button
            variant="primary"
            busy={busy || (looking && info !== undefined)}
            icon={<Link2 size={18} />}
            onClick={() => void send()}
          >
            {t('file.url.submit')}
          </Button>
        </div>
      </section>
    </>
  );
}

function failureOf(job: RemoteJob | undefined, t: Translate): string | undefined {
  if (!job || job.step) return undefined;
  return isCancelled(job.error) ? t('file.errors.cancelled') : uploadErrorText(job.error, t);
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text);
}

interface RemoteFileProps {
  info: UrlInfo;
  name: string;
  busy: boolean;
  onName: (name: string) => void;
  onClear: () => void;
}

/** RemoteFile is the card of what was found. */
function RemoteFile({ info, name, busy, onName, onClear }: RemoteFileProps) {
  const t = useT();
  const language = useLanguage();
  const file = { filename: name, mimetype: info.contentType, type: info.type };
  return (
    <section className={`${styles.result} ${styles.card}`} aria-label={info.filename}>
      <FileGlyph file={file} />
      <div className={rows.rowBody}>
        <TextField
          label={t('file.url.name')}
          value={name}
          maxLength={255}
          spellCheck={false}
          readOnly={busy}
          onChange={(event) => onName(event.target.value)}
        />
        <p className={rows.rowFacts}>
          <span>{info.size === null ? t('file.url.unknownSize') : formatSize(info.size, language)}</span>
          <span title={info.contentType}>{kindName(file, t)}</span>
        </p>
        {!busy && (
          <Button variant="quiet" onClick={onClear}>
            {t('file.url.clear')}
          </Button>
        )}
      </div>
    </section>
  );
}

interface FetchingProps {
  step: RemoteStep & RemotePace;
  name: string;
  onCancel: () => void;
}

function Fetching({ step, name, onCancel }: FetchingProps) {
  const t = useT();
  const quarter = Math.floor(step.percent / 25);
  useAnnounced(quarter > 0 ? t('file.progress.announce', { percent: quarter * 25 }) : '');
  return (
    <div className={styles.totals}>
      <Progress
        label={t('file.url.progress', { name })}
        percent={step.percent}
        sent={step.done}
        bytes={step.total}
        speed={step.speed}
        remaining={step.remaining}
      >
        {t(`file.url.stage.${step.stage}`)}
      </Progress>
      <Button variant="quiet" onClick={onCancel}>
        {t('file.url.cancel')}
      </Button>
    </div>
  );
}
