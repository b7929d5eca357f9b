import { useQuery } from '@tanstack/react-query';
import { Upload as UploadIcon } from 'lucide-react';
import { lazy, Suspense, useEffect, useEffectEvent, useState } from 'react';
import { errorText } from '../../api/errorText';
import type { FileRow } from '../../api/types';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { takeFiles } from '../../shared/offline/arrivals';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { filesChanged } from '../../shared/query/files';
import { downloadsWrong, noSeveral, SeveralFields } from '../../shared/several';
import { ShareForm, useShareForm, type ShareValues } from '../../shared/shareform';
import { Button, confirm, Segmented, Skeleton, toast } from '../../shared/ui';
import { tabPanel, Tabs } from '../../shared/ui/Tabs';
import { DropZone } from './DropZone';
import { arrived } from '../../shared/uploader/arrived';
import { join, joined } from './joining';
import { Meanwhile } from './Meanwhile';
import { NoStorage } from './NoStorage';
import { PlacementFields } from './PlacementFields';
import { RecentUploads } from './RecentUploads';
import { Rejected, type Rejection } from './Rejected';
import { Results } from './Results';
import { useStore } from '../../store';
import { begunUploads, isFileOf } from '../../shared/uploader/begun';
import { goOn } from '../../shared/uploader/goOn';
import type { Chosen } from '../../shared/uploader/sources';
import { shareUnder } from '../../shared/uploader/transfers';
import { isSame } from '../../shared/uploader/queue';
import { listedAt, shareOf, uploads, type Upload } from '../../shared/uploader/uploads';
import styles from './upload.module.css';
import { Unfinished } from './Unfinished';
import { listId, UploadList } from './UploadList';
import { termsOf } from './terms';
import { usePlacement } from './usePlacement';
import { useSource, type Source } from './useSource';
import { uploadSettingsQuery, type UploadSettings } from './queries';
import { useUploadNotes } from './useUploadNotes';

const UploadUrl = lazy(() => import('./UploadUrl'));

/** UploadFiles is the work of the page: choose, set terms, send, get links. */
export function UploadFiles() {
  const t = useT();
  const [source, setSource] = useSource();
  // The other tab is made when it is first looked at; from then on its transfers go on behind the first one.
  const [opened, setOpened] = useState(source === 'url');
  const { totals } = useStore(uploads);
  const { data: settings, error, refetch } = useQuery(uploadSettingsQuery);
  if (source === 'url' && !opened) setOpened(true);

  /** show opens a tab from elsewhere on the page; the focus goes along. */
  function show(next: Source) {
    setSource(next);
    document.getElementById(`pp-upload-${next}`)?.focus();
  }

  if (error && !settings) {
    const back = () => history.back();
    return (
      <ErrorPanel
        error={error}
        title={t('file.form.loadFailed')}
        onRetry={() => void refetch()}
        onBack={back}
      />
    );
  }
  if (!settings) return <Skeleton height={720} />;
  if (settings.configs.length === 0) return <NoStorage />;
  return (
    <>
      <Tabs
        id="pp-upload"
        label={t('file.source.label')}
        value={source}
        onChange={setSource}
        tabs={[
          { value: 'files', label: t('file.source.files') },
          { value: 'url', label: t('file.source.url') },
        ]}
      />
      <Meanwhile source={source} totals={totals} onShow={show} />
      <div className={styles.tab} data-form="" {...tabPanel('pp-upload', 'files', source)}>
        <UploadForm settings={settings} open={source === 'files'} />
      </div>
      <div className={styles.tab} data-form="" {...tabPanel('pp-upload', 'url', source)}>
        {opened && (
          <Suspense fallback={<Skeleton height={720} />}>
            <UploadUrl settings={settings} />
          </Suspense>
        )}
      </div>
      <RecentUploads />
    </>
  );
}

/** Way is how several files are shared: a link for each of them, or one for all. */
type Way = 'each' | 'one';

interface UploadFormProps {
  settings: UploadSettings;
  /** open says whether the form can be seen; only then are drops and pastes meant for it. */
  open: boolean;
}

function UploadForm({ settings, open: visible }: UploadFormProps) {
  const t = useT();
  const language = useLanguage();
  const form = useShareForm();
  const { items, totals } = useStore(uploads);
  const [rejected, setRejected] = useState<Rejection[]>([]);
  const placement = usePlacement(settings);
  const [missing, setMissing] = useState(false);
  const [way, setWay] = useState<Way>('each');
  const [several, setSeveral] = useState(noSeveral);
  // joining are the files on their way that get one link when all of them are there.
  const [joining, setJoining] = useState<readonly number[]>([]);
  const links = useStore(joined);
  useUploadNotes(totals);

  const pending = items.filter(({ to, status, queued }) => to === 'share' && status === 'pending' && !queued);
  // together says that the fields of one link for all can be seen; only then do they count.
  const together = way === 'one' && pending.length > 1;
  const severalWrong = together && downloadsWrong(several);
  const listed = listedAt('share', items);
  const done = listed.flatMap((item) => {
    // The own link of a file that is about to be joined ends in a moment.
    const file = joining.includes(item.id) ? undefined : shareOf(item);
    return file ? [{ id: item.id, file }] : [];
  });
  const open = listed.filter(({ id, status }) => status !== 'success' || joining.includes(id));

  async function add(files: Chosen[]) {
    setMissing(false);
    const fresh: Chosen[] = [];
    for (const chosen of files) if (!(await resumed(chosen.file))) fresh.push(chosen);
    put(fresh);
  }

  /** resumed goes on with what was begun with this very file before a reload. */
  async function resumed(file: File): Promise<boolean> {
    for (const begun of begunUploads()) {
      // A file on its way into a mount goes on where it is named; here files are meant to be shared.
      if (begun.to !== 'share' || !(await isFileOf(begun, file).catch(() => false))) continue;
      goOn(file, begun);
      toast.info(t('file.unfinished.goesOn', { name: begun.name }));
      return true;
    }
    return false;
  }

  const isUploaded = (file: File) =>
    items.some((item) => item.to === 'share' && item.status === 'success' && isSame(item.file, file));

  function put(files: Chosen[]) {
    const large = files.filter(({ file }) => file.size > settings.limit);
    const twice = uploads.add(files.filter(({ file }) => file.size <= settings.limit));
    setRejected([
      ...large.map(({ file }) => ({ name: file.name, size: file.size, why: 'tooLarge' as const })),
      ...twice.map((file) => ({
        name: file.name,
        size: file.size,
        why: isUploaded(file) ? ('uploaded' as const) : ('twice' as const),
      })),
    ]);
  }

  // Files that another app has shared with this one.
  const addShared = useEffectEvent((files: File[]) => {
    if (files.length > 0) add(files.map((file) => ({ file, folder: '' })));
  });
  useEffect(() => void takeFiles().then(addShared, () => undefined), []);

  /** transfer sends files under the terms of the form. What one link for all is called is not what each file is called. */
  const transfer = (joins: boolean) =>
    shareUnder(termsOf({ ...form.values, ...(joins && { slug: '', remark: '' }) }, placement));

  function send() {
    const formReady = form.check();
    setMissing(pending.length === 0);
    if (pending.length === 0 || placement.problem || !formReady || severalWrong) {
      form.lead();
      return;
    }
    // What was on the list twice is sent once; to say it any longer would be wrong.
    setRejected((before) => before.filter(({ why }) => why === 'tooLarge'));
    const ids = pending.map(({ id }) => id);
    uploads.start(transfer(together), ids);
    if (together) void joinLater(ids, form.values);
    requestAnimationFrame(() => document.getElementById(listId)?.scrollIntoView({ block: 'start' }));
  }

  function changed(file: FileRow) {
    for (const { id, file: before } of done)
      if (before.id === file.id) uploads.amend(id, { ...before, ...file });
    void filesChanged();
  }

  /** joinLater makes one link for files on their way, once all of them are there. */
  async function joinLater(ids: readonly number[], values: ShareValues) {
    setJoining((before) => [...before, ...ids]);
    try {
      const files = await arrived(ids);
      // One that is left has its own link already.
      if (files.length > 1) await join(files, values, several);
    } catch (error) {
      tellNotJoined(error);
    } finally {
      setJoining((before) => before.filter((id) => !ids.includes(id)));
    }
  }

  const tellNotJoined = (error: unknown) =>
    void toast.error(t('file.results.joinFailed', { reason: errorText(error, t) }));

  /** joinDone makes one link for all files that were shared, with the settings of the form. */
  async function joinDone() {
    if (!form.check() || severalWrong) {
      form.lead();
      return;
    }
    const { values } = form;
    const opens = !values.password && done.some(({ file }) => file.has_password);
    await confirm({
      title: t('file.results.joinTitle', done.length),
      body: t(opens ? 'file.results.joinOpens' : 'file.results.joinBody'),
      confirmLabel: t('file.results.join'),
      run: () => join(done, values, together ? several : noSeveral).catch(tellNotJoined),
    });
  }

  /** retryOne sends a file again as it was sent: with others for one link, or under the form as it is now. */
  function retryOne({ id, to }: Upload) {
    if (to !== 'share') uploads.retry(id);
    else if (form.check()) uploads.retry(id, transfer(joining.includes(id)));
    else toast.warning(t('errors.title'));
  }

  return (
    <>
      <div>
        <DropZone
          open={visible}
          small={pending.length > 0}
          wrong={missing ? t('file.form.noFiles') : undefined}
          limit={formatSize(settings.limit, language)}
          onFiles={(files) => void add(files)}
        />
        <p role="alert" className={styles.problem}>
          {missing && t('file.form.noFiles')}
        </p>
        <Rejected list={rejected} limit={settings.limit} onClose={() => setRejected([])} />
      </div>
      <section className={styles.form} aria-labelledby="pp-upload-settings">
        <h2 id="pp-upload-settings">{t('file.form.title')}</h2>
        {pending.length > 1 && (
          <Segmented
            label={t('file.form.way')}
            value={way}
            onChange={setWay}
            choices={(['each', 'one'] as const).map((value) => ({
              value,
              label: t(`file.form.ways.${value}`),
            }))}
          />
        )}
        <PlacementFields placement={placement} />
        <ShareForm form={form} severalFiles={pending.length > 1 && !together}>
          {together && (
            <SeveralFields several={several} onChange={(change) => setSeveral({ ...several, ...change })} />
          )}
        </ShareForm>
        <div className={styles.submit} data-due={pending.length > 0 || undefined}>
          <Button variant="primary" icon={<UploadIcon size={18} />} onClick={send}>
            {pending.length > 0 ? t('file.form.submit', pending.length) : t('file.form.submitNone')}
          </Button>
        </div>
      </section>
      <Unfinished />
      {open.length > 0 && <UploadList items={open} totals={totals} onRetry={retryOne} />}
      <Results
        files={done.map(({ file }) => file)}
        joined={links}
        onJoin={() => void joinDone()}
        onChanged={changed}
        onClear={() => {
          done.forEach(({ id }) => uploads.remove(id));
          joined.set([]);
        }}
      />
    </>
  );
}
