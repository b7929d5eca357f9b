import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { keepRevisions, restoreRevision } from '../../api/pastes';
import { ApiError } from '../../api/client';
import { errorText } from '../../api/errorText';
import type { TextHistory, TextRevision } from '../../api/types';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../format';
import { ErrorPanel } from '../problem/ErrorPanel';
import { Queries } from '../query/Queries';
import { historyQuery, presentQuery, revisionQuery, revisionsChanged } from '../query/revisions';
import { useReading } from '../query/useReading';
import { Button, confirm, CopyButton, Dialog, Skeleton, Time, toast } from '../ui';
import { Changes } from './Changes';
import styles from './revisions.module.css';

interface RevisionsDialogProps {
  /** id or slug of an own text. */
  id: string;
  name: string;
  /** onRestored is told the content that came back. */
  onRestored: (content: string) => void;
  onClose: () => void;
}

/** RevisionsDialog shows the owner of a text its earlier versions, what has changed since, and brings one back. */
export default function RevisionsDialog(props: RevisionsDialogProps) {
  return (
    <Queries>
      <Revisions {...props} />
    </Queries>
  );
}

function Revisions({ id, name, onRestored, onClose }: RevisionsDialogProps) {
  const t = useT();
  const { data: history, error, retry } = useReading(historyQuery(id));
  const [chosen, setChosen] = useState<number>();
  const version = history?.revisions.find((one) => one.version === chosen) ?? history?.revisions[0];
  return (
    <Dialog wide title={t('revisions.title', { name })} onClose={onClose}>
      {error && <ErrorPanel error={error} onRetry={retry} />}
      {!history && !error && <Skeleton lines={6} />}
      {history && (
        <div className={styles.stack}>
          {version ? (
            <div className={styles.columns}>
              <Versions history={history} chosen={version.version} onChoose={setChosen} />
              <Chosen id={id} version={version.version} onRestored={onRestored} />
            </div>
          ) : (
            <p>{t(history.keep ? 'revisions.empty' : 'revisions.off')}</p>
          )}
          <Keep id={id} keep={history.keep} any={history.revisions.length > 0} />
        </div>
      )}
    </Dialog>
  );
}

interface VersionsProps {
  history: TextHistory;
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
            <Facts revision={revision} timeless />
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Facts({ revision, timeless = false }: { revision: TextRevision; timeless?: boolean }) {
  const t = useT();
  const language = useLanguage();
  const who =
    revision.key_name ??
    t(revision.edited_by.startsWith('apikey:') ? 'revisions.someone' : 'revisions.admin');
  return (
    <span className={styles.facts}>
      {!timeless && <Time value={revision.edited_at} />}
      <span>{t('revisions.by', { who })}</span>
      <span>{formatSize(revision.size, language)}</span>
    </span>
  );
}

function Chosen({
  id,
  version,
  onRestored,
}: Pick<RevisionsDialogProps, 'id' | 'onRestored'> & { version: number }) {
  const t = useT();
  const now = useReading(presentQuery(id));
  const then = useReading(revisionQuery(id, version));
  const error = now.error ?? then.error;
  const restore = useMutation({
    mutationFn: () => restoreRevision(id, version, now.data?.etag ?? ''),
    onSuccess: () => {
      toast.success(t('revisions.restored'));
      onRestored(then.data ?? '');
    },
    onError: (failure) =>
      toast.error(
        failure instanceof ApiError && failure.status === 412
          ? t('revisions.changed')
          : errorText(failure, t),
      ),
    onSettled: () => revisionsChanged(id),
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
      <Changes before={then.data} after={now.data.paste.content} />
      <div className={styles.buttons}>
        <Button variant="primary" busy={restore.isPending} onClick={() => restore.mutate()}>
          {t('revisions.restore')}
        </Button>
        <CopyButton text={then.data} label={t('revisions.copy')} />
      </div>
    </div>
  );
}

function Keep({ id, keep, any }: { id: string; keep: boolean; any: boolean }) {
  const t = useT();
  const change = useMutation({
    mutationFn: (next: boolean) => keepRevisions(id, next),
    onError: (failure) => toast.error(errorText(failure, t)),
    onSettled: () => revisionsChanged(id),
  });
  async function turn(next: boolean) {
    const agreed =
      next ||
      !any ||
      (await confirm({
        title: t('revisions.drop.title'),
        body: t('revisions.drop.body'),
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
      {t('revisions.keep')}
    </label>
  );
}
