import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useId, useState } from 'react';
import { ApiError } from '../../api/client';
import { errorText } from '../../api/errorText';
import type { RevisionHistory, RevisionRow } from '../../api/types';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../format';
import { ErrorPanel } from '../problem/ErrorPanel';
import { Queries } from '../query/Queries';
import { historyQuery, presentQuery, revisionQuery, revisionsChanged, type Source } from '../query/revisions';
import { useReading } from '../query/useReading';
import { saveBlob } from '../saveBlob';
import { Button, confirm, CopyButton, Dialog, Skeleton, Time, toast } from '../ui';
import { Changes } from './Changes';
import styles from './revisions.module.css';

interface RevisionsProps {
  source: Source;
  name: string;
  /** onRestored is told the content that came back. */
  onRestored: (content: string) => void;
  onClose: () => void;
}

/** Revisions shows the earlier versions of a text or a file, what has changed since, and brings one back. */
export function Revisions(props: RevisionsProps) {
  return (
    <Queries>
      <List {...props} />
    </Queries>
  );
}

function List({ source, name, onRestored, onClose }: RevisionsProps) {
  const t = useT();
  const { data: history, error, retry } = useReading(historyQuery(source));
  const [chosen, setChosen] = useState<number>();
  const version = history?.revisions.find((one) => one.version === chosen) ?? history?.revisions[0];
  return (
    <Dialog wide={version ? true : 'medium'} title={t('revisions.title', { name })} onClose={onClose}>
      {error && <ErrorPanel error={error} onRetry={retry} />}
      {!history && !error && <Skeleton lines={6} />}
      {history && (
        <div className={styles.stack}>
          {version ? (
            <div className={styles.columns}>
              <Versions history={history} chosen={version.version} onChoose={setChosen} />
              <Chosen source={source} name={name} version={version.version} onRestored={onRestored} />
            </div>
          ) : (
            <p>{t(`revisions.${source.of}.${history.keep ? 'empty' : 'off'}`)}</p>
          )}
          {history.large && <p>{t('revisions.file.large')}</p>}
          <Keep source={source} keep={history.keep} any={history.revisions.length > 0} />
        </div>
      )}
    </Dialog>
  );
}

interface VersionsProps {
  history: RevisionHistory;
  chosen: number;
  onChoose: (version: number) => void;
}

function Versions({ history, chosen, onChoose }: VersionsProps) {
  const t = useT();
  const group = useId();
  return (
    <fieldset className={styles.list}>
      <legend className="visually-hidden">{t('revisions.list')}</legend>
      <p className={styles.now}>
        <strong>{t('revisions.current')}</strong>
        <Time value={history.current.edited_at} />
        <Facts revision={history.current} />
      </p>
      {history.revisions.map((revision) => (
        <label key={revision.version} className={styles.version}>
          <input
            type="radio"
            name={group}
            checked={revision.version === chosen}
            onChange={() => onChoose(revision.version)}
          />
          <span>
            <Time value={revision.edited_at} />
            <Facts revision={revision} />
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Facts are who wrote a version, and its size. */
export function Facts({ revision }: { revision: RevisionRow }) {
  const t = useT();
  const language = useLanguage();
  const who =
    revision.key_name ??
    t(revision.edited_by.startsWith('apikey:') ? 'revisions.someone' : 'revisions.admin');
  return (
    <span className={styles.facts}>
      {revision.edited_by && <span>{t('revisions.by', { who })}</span>}
      <span>{formatSize(revision.size, language)}</span>
    </span>
  );
}

function Chosen({
  source,
  name,
  version,
  onRestored,
}: Pick<RevisionsProps, 'source' | 'name' | 'onRestored'> & { version: number }) {
  const t = useT();
  const now = useReading(presentQuery(source));
  const then = useReading(revisionQuery(source, version));
  const error = now.error ?? then.error;
  const restore = useMutation({
    mutationFn: () => source.restore(version, now.data?.etag ?? ''),
    onSuccess: () => {
      toast.success(t('revisions.restored'));
      onRestored(then.data ?? '');
    },
    onError: (failure) =>
      toast.error(
        failure instanceof ApiError && failure.status === 412
          ? t(`revisions.${source.of}.changed`)
          : errorText(failure, t),
      ),
    onSettled: () => revisionsChanged(source),
  });
  const download = useMutation({
    mutationFn: () => source.bytes(version),
    onSuccess: (bytes) => saveBlob(bytes, name),
    onError: (failure) => toast.error(errorText(failure, t)),
  });
  if (error)
    return (
      <ErrorPanel
        error={error}
        onRetry={() => {
          now.retry();
          then.retry();
        }}
      />
    );
  if (!now.data || then.data === undefined) return <Skeleton lines={6} />;
  return (
    <div className={styles.chosen}>
      <Changes before={then.data} after={now.data.text} />
      <div className={styles.buttons}>
        <Button variant="primary" busy={restore.isPending} onClick={() => restore.mutate()}>
          {t('revisions.restore')}
        </Button>
        <CopyButton text={then.data} label={t('revisions.copy')} />
        <Button icon={<Download size={18} />} busy={download.isPending} onClick={() => download.mutate()}>
          {t('revisions.download')}
        </Button>
      </div>
    </div>
  );
}

interface KeepProps {
  source: Pick<Source, 'of' | 'id' | 'keep'>;
  keep: boolean;
  /** any says whether there is something that would be removed. */
  any: boolean;
}

/** Keep says whether what is replaced is kept, and asks before it removes what is. */
export function Keep({ source, keep, any }: KeepProps) {
  const t = useT();
  const change = useMutation({
    mutationFn: (next: boolean) => source.keep(next),
    onError: (failure) => toast.error(errorText(failure, t)),
    onSettled: () => revisionsChanged(source),
  });
  async function turn(next: boolean) {
    const agreed =
      next ||
      !any ||
      (await confirm({
        title: t('revisions.drop.title'),
        body: t(`revisions.${source.of}.drop`),
        confirmLabel: t('revisions.drop.confirm'),
        danger: true,
      }));
    if (agreed) change.mutate(next);
  }
  return (
    <label className={styles.keep}>
      <input
        type="checkbox"
        checked={change.isPending ? change.variables : keep}
        onChange={(event) => void turn(event.target.checked)}
      />
      {t(`revisions.${source.of}.keep`)}
    </label>
  );
}
