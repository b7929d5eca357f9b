import { useEffect, useState, type FormEvent } from 'react';
import { useNavigate } from 'react-router-dom';
import { endSession, listSessions } from '../../api/admin/system';
import { changePassword } from '../../api/auth';
import { signOut } from '../../auth/signIn';
import { useT } from '../../i18n';
import { errorText } from '../../shared/errorText';
import { Button, confirm, ErrorPanel, Skeleton, TextField, Time, toast } from '../../shared/ui';
import { FormProblems } from '../../shared/ui/FormProblems';
import { PasswordField } from '../../shared/ui/PasswordField';
import { Section } from '../form/PanelForm';
import formStyles from '../form/form.module.css';
import { useLeaveGuard } from '../form/useLeaveGuard';
import { PanelPage } from '../list/PanelPage';
import { Chip } from '../share/cells';
import { useLoaded } from '../share/useLoaded';
import styles from './account.module.css';
import { SecondStep } from './SecondStep';
import { accountProblems, strengthOf, type AccountValues } from './rules';

const empty: AccountValues = { newUsername: '', currentPassword: '', newPassword: '', repeat: '' };
/** Seconds between a change of the account and the sign-out that follows it. */
const countdownFrom = 5;

/** Account changes the administrator's name and password, and shows who else is signed in (§7.9). */
export default function Account() {
  const t = useT();
  const [changed, setChanged] = useState(false);
  return (
    <PanelPage title={t('admin.pages.account')}>
      <div className={formStyles.form}>
        {changed ? (
          <Countdown />
        ) : (
          <>
            <Change onChanged={() => setChanged(true)} />
            <SecondStep />
            <Sessions />
          </>
        )}
      </div>
    </PanelPage>
  );
}

function Change({ onChanged }: { onChanged: () => void }) {
  const t = useT();
  const [values, setValues] = useState(empty);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [asked, setAsked] = useState(0);
  const problems = accountProblems(values);
  useLeaveGuard(Object.values(values).some((value) => value !== '') && !busy);

  async function save(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problems).length > 0) {
      setAsked((before) => before + 1);
      return;
    }
    setBusy(true);
    setProblem('');
    try {
      await changePassword({
        currentPassword: values.currentPassword,
        ...(values.newPassword && { newPassword: values.newPassword }),
        ...(values.newUsername.trim() && { newUsername: values.newUsername.trim() }),
      });
      onChanged();
    } catch (error) {
      setProblem(errorText(error, t));
      setBusy(false);
    }
  }

  const field = (name: keyof AccountValues) => ({
    value: values[name],
    error: tried && problems[name] ? t(problems[name]) : undefined,
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [name]: event.target.value }),
  });
  return (
    <form className={formStyles.form} onSubmit={(event) => void save(event)} noValidate>
      <FormProblems asked={asked} />
      <Section title={t('admin.account.change')}>
        <PasswordField
          label={t('admin.account.currentPassword')}
          autoComplete="current-password"
          {...field('currentPassword')}
        />
        <TextField
          label={t('admin.account.newUsername')}
          hint={t('admin.account.usernameHint')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          {...field('newUsername')}
        />
        <PasswordField
          label={t('admin.account.newPassword')}
          hint={
            values.newPassword === ''
              ? t('admin.account.passwordHint')
              : t(`admin.account.strength.${strengthOf(values.newPassword)}`)
          }
          autoComplete="new-password"
          {...field('newPassword')}
        />
        <PasswordField label={t('admin.account.repeat')} autoComplete="new-password" {...field('repeat')} />
        <p role="alert" className={formStyles.problem}>
          {problem}
        </p>
        <div>
          <Button variant="primary" type="submit" busy={busy}>
            {t('admin.form.save')}
          </Button>
        </div>
      </Section>
    </form>
  );
}

/** Countdown signs out after a change, which has ended all sessions on the server. */
function Countdown() {
  const t = useT();
  const navigate = useNavigate();
  const [left, setLeft] = useState(countdownFrom);
  useEffect(() => {
    if (left === 0) {
      void signOut().then(() => void navigate('/admin'));
      return;
    }
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left, navigate]);
  return (
    <div className={styles.done} role="status">
      <p>
        <strong>{t('admin.account.done')}</strong> {t('admin.account.countdown', left)}
      </p>
      <Button variant="primary" onClick={() => setLeft(0)}>
        {t('admin.account.now')}
      </Button>
    </div>
  );
}

function Sessions() {
  const t = useT();
  const { value, error, retry } = useLoaded('sessions', (signal) => listSessions(signal));

  const end = (id: string) =>
    void confirm({
      title: t('admin.account.endTitle'),
      body: t('admin.account.endBody'),
      confirmLabel: t('admin.account.end'),
      danger: true,
      run: async () => {
        try {
          await endSession(id);
          toast.success(t('admin.account.ended'));
          retry();
        } catch (failure) {
          toast.error(errorText(failure, t));
        }
      },
    });

  return (
    <Section title={t('admin.account.sessions')}>
      <p className={formStyles.hint}>{t('admin.account.sessionsHint')}</p>
      {error !== undefined && <ErrorPanel error={error} onRetry={retry} />}
      {!value && error === undefined && <Skeleton lines={3} />}
      <ul className={styles.sessions}>
        {value?.map((session) => (
          <li key={session.id}>
            <dl className={styles.facts}>
              <div className={styles.browser}>
                <dt>{t('admin.account.browser')}</dt>
                <dd>
                  {session.user_agent || t('admin.words.unknown')}{' '}
                  {session.is_current && <Chip tone="ok">{t('admin.account.current')}</Chip>}
                </dd>
              </div>
              <div>
                <dt>{t('admin.account.address')}</dt>
                <dd>{session.client_ip}</dd>
              </div>
              <div>
                <dt>{t('admin.account.since')}</dt>
                <dd>
                  <Time value={session.created_at} />
                </dd>
              </div>
              <div>
                <dt>{t('admin.account.until')}</dt>
                <dd>
                  <Time value={session.expires_at} />
                </dd>
              </div>
            </dl>
            {!session.is_current && <Button onClick={() => end(session.id)}>{t('admin.account.end')}</Button>}
          </li>
        ))}
      </ul>
    </Section>
  );
}
