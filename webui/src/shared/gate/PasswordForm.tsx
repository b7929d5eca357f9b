import { LockKeyhole } from 'lucide-react';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useTimer } from '../../hooks/useTimer';
import type { ApiError } from '../../api/client';
import { errorText } from '../../api/errorText';
import { useT, type Translate } from '../../i18n';
import { PageHeading } from '../page';
import { Button, PasswordField } from '../ui';
import styles from './gate.module.css';

interface PasswordFormProps {
  isLastView: boolean;
  busy: boolean;
  error: ApiError | undefined;
  onSubmit: (password: string) => void;
}

/** PasswordForm asks a visitor for the password of a share. */
export function PasswordForm({ isLastView, busy, error, onSubmit }: PasswordFormProps) {
  const t = useT();
  const [missing, setMissing] = useState(false);
  const seconds = useCountdown(error);
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    form.current?.querySelector('input')?.focus();
  }, [error]);

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (seconds > 0) return;
    const password = String(new FormData(event.currentTarget).get('password') ?? '');
    setMissing(password === '');
    if (password) onSubmit(password);
    else form.current?.querySelector('input')?.focus();
  }

  return (
    <section className={styles.card}>
      <LockKeyhole size={24} />
      <PageHeading>{t('shareGate.password.title')}</PageHeading>
      <p>{t('shareGate.password.body')}</p>
      {isLastView && <p className={styles.note}>{t('shareGate.password.last')}</p>}
      <form ref={form} onSubmit={submit} noValidate>
        <PasswordField
          name="password"
          label={t('shareGate.password.label')}
          autoComplete="off"
          enterKeyHint="go"
          maxLength={256}
          error={missing ? t('shareGate.password.missing') : problem(error, seconds, t)}
        />
        <Button type="submit" variant="primary" busy={busy} aria-disabled={seconds > 0}>
          {t('shareGate.password.submit')}
        </Button>
      </form>
      {/* Said once: the text in the field counts down and would be read every second. */}
      <p className="visually-hidden" role="alert">
        {error && problem(error, error.retryAfter ?? 0, t)}
      </p>
    </section>
  );
}

function problem(error: ApiError | undefined, seconds: number, t: Translate): string | undefined {
  if (!error) return undefined;
  if (seconds > 0) return t('shareGate.password.wait', seconds);
  if (error.status === 429 || error.status === 401) return t('shareGate.password.wrong');
  return errorText(error, t);
}

/** useCountdown counts the seconds down that the server wants to be left alone. */
function useCountdown(error: ApiError | undefined): number {
  const [left, setLeft] = useState(0);
  const [counted, setCounted] = useState<ApiError>();
  if (error !== counted) {
    setCounted(error);
    setLeft(error?.retryAfter ?? 0);
  }
  useTimer(() => setLeft(left - 1), left > 0 ? 1000 : undefined, left);
  return left;
}
