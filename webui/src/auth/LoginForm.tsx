import { KeyRound, UserRound } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { ApiError } from '../api/errors';
import { errorText } from '../api/errorText';
import { useT, type Translate } from '../i18n';
import { Button } from '../shared/ui/Button';
import { TextField } from '../shared/ui/Field';
import { FormProblems } from '../shared/ui/FormProblems';
import { PasswordField } from '../shared/ui/PasswordField';
import { Segmented } from '../shared/ui/Segmented';
import styles from './LoginForm.module.css';
import { signInAdmin, signInKey } from './signIn';

type Mode = 'password' | 'key';

/** LoginForm signs in by administrator name and password, or by API key (§2). */
export function LoginForm({ onDone }: { onDone: () => void }) {
  const t = useT();
  const [chosen, setChosen] = useState<Mode>();
  const mode = chosen ?? 'password';
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [second, setSecond] = useState(false);
  const [missing, setMissing] = useState<string[]>([]);
  const [asked, setAsked] = useState(0);
  const needed = (name: string) => ({
    error: missing.includes(name) ? t(`login.missing.${name}`) : undefined,
    onChange: () => setMissing(missing.filter((other) => other !== name)),
  });

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const data = new FormData(event.currentTarget);
    const text = (name: string) => String(data.get(name) ?? '');
    const [username, password, key] = [text('username').trim(), text('password'), text('key').trim()];
    const empty = Object.entries(mode === 'password' ? { username, password } : { key }).filter(
      ([, value]) => !value,
    );
    setProblem('');
    setMissing(empty.map(([name]) => name));
    if (empty.length > 0) {
      setAsked((before) => before + 1);
      return;
    }
    setBusy(true);
    try {
      await (mode === 'password' ? signInAdmin(username, password, text('totp').trim()) : signInKey(key));
      onDone();
    } catch (error) {
      if (error instanceof ApiError && error.code === 'totp_required') setSecond(true);
      else setProblem(loginProblem(error, mode, t));
      setBusy(false);
    }
  }

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      <FormProblems asked={asked} />
      <Segmented
        label={t('login.modes')}
        value={mode}
        onChange={(next) => {
          setChosen(next);
          setProblem('');
          setMissing([]);
        }}
        choices={[
          {
            value: 'password',
            label: t('login.byPassword'),
            icon: <UserRound size={18} />,
          },
          { value: 'key', label: t('login.byKey'), icon: <KeyRound size={18} /> },
        ]}
      />
      {mode === 'password' ? (
        <>
          <TextField
            key="username"
            name="username"
            {...needed('username')}
            label={t('login.username')}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            // Whoever comes here comes to sign in; who has chosen the other way stays with the choice.
            autoFocus={!chosen}
          />
          <PasswordField
            key="password"
            name="password"
            {...needed('password')}
            label={t('login.password')}
            autoComplete="current-password"
          />
          {second && (
            <TextField
              name="totp"
              label={t('login.totp')}
              hint={t('login.totpHint')}
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
              // It appears as the answer to the button that was just pressed.
              autoFocus
            />
          )}
        </>
      ) : (
        <PasswordField key="key" name="key" {...needed('key')} label={t('login.key')} autoComplete="off" />
      )}
      <p className={styles.problem} role="alert">
        {problem}
      </p>
      <Button type="submit" variant="primary" busy={busy}>
        {t('login.submit')}
      </Button>
    </form>
  );
}

const ownCodes: Record<string, string> = {
  no_token: 'login.noToken',
  no_permissions: 'login.noPermissions',
  no_rights: 'login.noRights',
  totp_wrong: 'login.totpWrong',
};

/** loginProblem words a failed sign-in; it never says whether the user exists. */
function loginProblem(error: unknown, mode: Mode, t: Translate): string {
  if (!(error instanceof ApiError)) return t('errors.http.requestFailed');
  const own = ownCodes[error.code];
  if (own) return t(own);
  if (error.status === 401) return t(mode === 'password' ? 'login.invalid' : 'errors.http.keyInvalid');
  return errorText(error, t);
}
