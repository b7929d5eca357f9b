import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { changeAccess, type ShareAccess, type ShareKind } from '../../api/visits';
import { errorText } from '../../api/errorText';
import { useT } from '../../i18n';
import { ErrorPanel } from '../problem/ErrorPanel';
import { Queries } from '../query/Queries';
import { useReading } from '../query/useReading';
import { accessQuery } from '../query/visits';
import { Button, Dialog, Skeleton, TextField, Time, toast } from '../ui';
import styles from './visits.module.css';

interface AccessDialogProps {
  kind: ShareKind;
  id: string;
  name: string;
  onClose: () => void;
  onSaved: () => void;
}

/** AccessDialog lets the owner of a share say who may open it at all, and how its end moves when it is opened. */
export default function AccessDialog(props: AccessDialogProps) {
  return (
    <Queries>
      <Access {...props} />
    </Queries>
  );
}

function Access(props: AccessDialogProps) {
  const t = useT();
  const { data, error, retry } = useReading(accessQuery(props.kind, props.id));
  if (data) return <Form {...props} access={data} />;
  return (
    <Dialog title={t('visits.access.title', { name: props.name })} onClose={props.onClose}>
      {error ? <ErrorPanel error={error} onRetry={retry} /> : <Skeleton lines={4} />}
    </Dialog>
  );
}

const longest = 3650;

function Form({ kind, id, name, access, onClose, onSaved }: AccessDialogProps & { access: ShareAccess }) {
  const t = useT();
  const form = useId();
  const [keyOnly, setKeyOnly] = useState(access.key_only);
  const [slides, setSlides] = useState(access.sliding_days > 0);
  const [days, setDays] = useState(String(access.sliding_days || 7));
  const [until, setUntil] = useState(access.sliding_until?.slice(0, 10) ?? '');
  const [asked, setAsked] = useState(false);
  const wrong = slides && !(/^\d+$/.test(days) && Number(days) >= 1 && Number(days) <= longest);
  const save = useMutation({
    mutationFn: () =>
      changeAccess(kind, id, {
        key_only: keyOnly,
        sliding_days: slides ? Number(days) : 0,
        ...(slides && { sliding_until: lastOf(until, access.sliding_until) }),
      }),
    onSuccess: () => {
      toast.success(t('visits.access.saved'));
      onSaved();
    },
  });
  return (
    <Dialog
      title={t('visits.access.title', { name })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button variant="primary" type="submit" form={form} busy={save.isPending}>
            {t('visits.access.save')}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(true);
          if (!wrong) save.mutate();
        }}
      >
        <label className={styles.choice}>
          <input type="checkbox" checked={keyOnly} onChange={(event) => setKeyOnly(event.target.checked)} />
          <span>
            {t('visits.access.keyOnly')}
            <small>{t('visits.access.keyOnlyHint')}</small>
          </span>
        </label>
        <label className={styles.choice}>
          <input type="checkbox" checked={slides} onChange={(event) => setSlides(event.target.checked)} />
          <span>
            {t('visits.access.sliding')}
            <small>{t('visits.access.slidingHint')}</small>
          </span>
        </label>
        {slides && (
          <>
            <TextField
              label={t('visits.access.days')}
              inputMode="numeric"
              value={days}
              error={asked && wrong ? t('visits.access.daysWrong', { most: longest }) : undefined}
              onChange={(event) => setDays(event.target.value)}
            />
            <TextField
              type="date"
              optional
              label={t('visits.access.until')}
              value={until}
              onChange={(event) => setUntil(event.target.value)}
            />
          </>
        )}
        {access.expires_at && (
          <p className={styles.kept}>
            {t('visits.access.ends')} <Time value={access.expires_at} />
          </p>
        )}
        <p role="alert" className={styles.problem}>
          {save.error && errorText(save.error, t)}
        </p>
      </form>
    </Dialog>
  );
}

/** lastOf is the end of a day; of the day that was there before, the very moment. */
function lastOf(day: string, before: string | null): string | null {
  if (!day) return null;
  return before?.slice(0, 10) === day ? before : new Date(`${day}T23:59:59`).toISOString();
}
