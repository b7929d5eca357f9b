import { useState, type FormEvent } from 'react';
import {
  beginSecondStep,
  disableSecondStep,
  enableSecondStep,
  renewRecovery,
} from '../../api/admin/operations';
import { errorText } from '../../api/errorText';
import { useT } from '../../i18n';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { useReading } from '../../shared/query/useReading';
import { Button, CopyButton, PasswordField, QrDialog, Skeleton, TextField, toast } from '../../shared/ui';
import { FormProblems } from '../../shared/ui/FormProblems';
import { secondStepQuery } from '../data/queries';
import formStyles from '../form/form.module.css';
import { Section } from '../form/PanelForm';
import styles from '../ops/ops.module.css';

/** SecondStep turns codes of an app at sign-in on and off. It needs the message area "ops". */
export function SecondStep() {
  const t = useT();
  const state = useReading(secondStepQuery);
  const [offer, setOffer] = useState<{ secret: string; url: string }>();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const [qr, setQr] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [missing, setMissing] = useState<readonly string[]>([]);
  const [asked, setAsked] = useState(0);

  const form =
    (work: (text: (name: string) => string, button: string) => Promise<void>) =>
    async (event: FormEvent<HTMLFormElement>) => {
      event.preventDefault();
      const element = event.currentTarget;
      const data = new FormData(element);
      const button = (event.nativeEvent as SubmitEvent).submitter?.getAttribute('value') ?? '';
      setProblem('');
      const empty = [...data.keys()].filter((name) => String(data.get(name)).trim() === '');
      setMissing(empty);
      if (empty.length > 0) {
        setAsked((before) => before + 1);
        return;
      }
      setBusy(true);
      try {
        await work((name) => String(data.get(name) ?? '').trim(), button);
        element.reset();
        state.retry();
      } catch (error) {
        setProblem(errorText(error, t));
      } finally {
        setBusy(false);
      }
    };

  const begin = form(async (text) => setOffer(await beginSecondStep(text('password'))));
  const enable = form(async (text) => {
    setCodes((await enableSecondStep(text('code'))).recovery_codes);
    setOffer(undefined);
    toast.success(t('ops.second.on'));
  });
  const change = form(async (text, button) => {
    if (button === 'renew') {
      setCodes((await renewRecovery(text('password'), text('code'))).recovery_codes);
      return;
    }
    await disableSecondStep(text('password'), text('code'));
    setCodes([]);
    toast.success(t('ops.second.off'));
  });

  const errorOf = (name: string) => (missing.includes(name) ? t('admin.form.required') : undefined);
  const mend = (name: string) => () => setMissing(missing.filter((one) => one !== name));
  const password = (
    <PasswordField
      name="password"
      label={t('ops.second.password')}
      autoComplete="current-password"
      error={errorOf('password')}
      onChange={mend('password')}
    />
  );
  const code = (
    <TextField
      name="code"
      label={t('ops.second.code')}
      autoComplete="one-time-code"
      inputMode="text"
      error={errorOf('code')}
      onChange={mend('code')}
    />
  );
  if (state.error) return <ErrorPanel error={state.error} onRetry={state.retry} />;
  if (!state.data) return <Skeleton lines={3} />;
  return (
    <Section title={t('ops.second.title')}>
      <p className={formStyles.hint}>{t('ops.second.body')}</p>
      {codes.length > 0 && (
        <div className={styles.part} role="status">
          <p>{t('ops.second.codes')}</p>
          <ul className={styles.codes}>
            {codes.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
          <div>
            <CopyButton text={codes.join('\n')} label={t('ops.second.copyCodes')} />
          </div>
        </div>
      )}
      {problem && (
        <p className={styles.bad} role="alert">
          {problem}
        </p>
      )}
      {state.data.enabled && (
        <form className={styles.part} onSubmit={(event) => void change(event)} noValidate>
          <FormProblems asked={asked} />
          <p className={styles.good}>{t('ops.second.isOn', { left: state.data.recovery_codes_left })}</p>
          {password}
          {code}
          <div className={styles.row}>
            <Button type="submit" value="renew" busy={busy}>
              {t('ops.second.renew')}
            </Button>
            <Button type="submit" variant="danger" value="disable" busy={busy}>
              {t('ops.second.disable')}
            </Button>
          </div>
        </form>
      )}
      {!state.data.enabled && !offer && (
        <form className={styles.part} onSubmit={(event) => void begin(event)} noValidate>
          <FormProblems asked={asked} />
          {password}
          <div>
            <Button type="submit" variant="primary" busy={busy}>
              {t('ops.second.begin')}
            </Button>
          </div>
        </form>
      )}
      {!state.data.enabled && offer && (
        <form className={styles.part} onSubmit={(event) => void enable(event)} noValidate>
          <FormProblems asked={asked} />
          <p>{t('ops.second.scan')}</p>
          <p>
            <code>{offer.secret}</code>
          </p>
          <div className={styles.row}>
            <Button onClick={() => setQr(true)}>{t('ops.second.qr')}</Button>
            <CopyButton text={offer.secret} label={t('ops.second.copySecret')} />
          </div>
          {code}
          <div>
            <Button type="submit" variant="primary" busy={busy}>
              {t('ops.second.enable')}
            </Button>
          </div>
        </form>
      )}
      {qr && offer && <QrDialog link={offer.url} onClose={() => setQr(false)} />}
    </Section>
  );
}
