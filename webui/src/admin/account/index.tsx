import { useState, type FormEvent, type ReactNode } from 'react';
import { endSession } from '../../api/admin/system';
import { changePassword } from '../../api/auth';
import { useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { Button, TextField, Time } from '../../shared/ui';
import { FormProblems } from '../../shared/ui/FormProblems';
import { PasswordField } from '../../shared/ui/PasswordField';
import { sessionsQuery } from '../data/queries';
import { Section } from '../form/PanelForm';
import formStyles from '../form/form.module.css';
import { useLeaveGuard } from '../form/useLeaveGuard';
import { PanelPage } from '../list/PanelPage';
import { Loaded } from '../ops/Loaded';
import { Chip } from '../share/cells';
import { Facts } from '../share/Facts';
import { useAct } from '../useAct';
import styles from './account.module.css';
import { browserOf } from './browser';
import { Countdown } from './Countdown';
import { SecondStep } from './SecondStep';
import { accountProblems, changeProblem, strengthOf, type AccountValues } from './rules';

const empty: AccountValues = { newUsername: '', currentPassword: '', newPassword: '', repeat: '' };

/** Account changes the administrator's name and password, and shows who else is signed in (§7.9). */
export default function Account() {
  const [changed, setChanged] = useState(false);
  return (
    <PanelPage>
      <div className={`${formStyles.form} ${styles.account}`}>
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
      setProblem(changeProblem(error, t));
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

/** Browser names a browser as people do, and as it names itself, which is all there is when nobody knows it. */
function Browser({ agent, children }: { agent: string; children: ReactNode }) {
  const t = useT();
  const { browser, system } = browserOf(agent);
  return (
    <>
      <strong>
        {browser && system
          ? t('admin.account.onSystem', { browser, system })
          : (browser ?? (agent || t('admin.words.unknown')))}
      </strong>{' '}
      {children}
      {browser && <span className={styles.agent}>{agent}</span>}
    </>
  );
}

function Sessions() {
  const t = useT();
  const sessions = useReading(sessionsQuery);
  const { ask } = useAct();
  const end = (id: string) =>
    ask('admin.account.end', {
      danger: true,
      run: () => endSession(id).then(sessions.retry),
      done: t('admin.account.ended'),
    });

  return (
    <Section title={t('admin.account.sessions')}>
      <p className={formStyles.hint}>{t('admin.account.sessionsHint')}</p>
      <Loaded of={sessions} lines={3}>
        {(all) => (
          <ul className={styles.sessions}>
            {all.map((session) => (
              <li key={session.id}>
                <Facts
                  className={styles.facts}
                  of={[
                    [
                      t('admin.account.browser'),
                      <Browser key="browser" agent={session.user_agent}>
                        {session.is_current && <Chip tone="ok">{t('admin.account.current')}</Chip>}
                      </Browser>,
                    ],
                    [t('admin.account.address'), session.client_ip],
                    [t('admin.account.since'), <Time key="since" value={session.created_at} />],
                    [t('admin.account.until'), <Time key="until" value={session.expires_at} />],
                  ]}
                />
                {!session.is_current && (
                  <Button onClick={() => void end(session.id)}>{t('admin.account.end')}</Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}
