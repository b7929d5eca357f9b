import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { changeAccess, type ShareAccess, type ShareKind } from '../../api/visits';
import { errorText } from '../../api/errorText';
import { useT } from '../../i18n';
import { ErrorPanel } from '../problem/ErrorPanel';
import { Queries } from '../query/Queries';
import { useReading } from '../query/useReading';
import { accessQuery } from '../query/visits';
import { Button, Dialog, Skeleton, TimeIn, toast } from '../ui';
import { daysWrong, lastOf, openLatch, type Latch } from './latch';
import LatchFields from './LatchFields';
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

function Form({ kind, id, name, access, onClose, onSaved }: AccessDialogProps & { access: ShareAccess }) {
  const t = useT();
  const form = useId();
  const [latch, setLatch] = useState<Latch>(() => ({
    keyOnly: access.key_only,
    slides: access.sliding_days > 0,
    days: access.sliding_days ? String(access.sliding_days) : openLatch.days,
    until: access.sliding_until?.slice(0, 10) ?? '',
  }));
  const [asked, setAsked] = useState(false);
  const wrong = daysWrong(latch);
  const save = useMutation({
    mutationFn: () =>
      changeAccess(kind, id, {
        key_only: latch.keyOnly,
        sliding_days: latch.slides ? Number(latch.days) : 0,
        ...(latch.slides && { sliding_until: lastOf(latch.until, access.sliding_until) }),
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
        <LatchFields
          latch={latch}
          wrong={asked && wrong}
          onChange={(change) => setLatch((before) => ({ ...before, ...change }))}
        />
        {access.expires_at && (
          <p className={styles.kept}>
            <TimeIn sentence="visits.access.ends" value={access.expires_at} />
          </p>
        )}
        <p role="alert" className={styles.problem}>
          {save.error && errorText(save.error, t)}
        </p>
      </form>
    </Dialog>
  );
}
