import { ApiError } from '../../api/errors';
import { errorText } from '../../api/errorText';
import type { Translate } from '../../i18n';
import type { Fields } from '../form/fields';
import { checks } from '../form/validate';

/** What the account form holds. */
export interface AccountValues {
  newUsername: string;
  currentPassword: string;
  newPassword: string;
  repeat: string;
}

/** accountProblems answers message keys by field (§5). */
export function accountProblems(values: AccountValues): Partial<Record<keyof AccountValues, string>> {
  const problems: Partial<Record<keyof AccountValues, string>> = {};
  if (values.currentPassword === '') problems.currentPassword = 'admin.form.required';
  if (values.newUsername.trim() === '' && values.newPassword === '')
    problems.newUsername = 'admin.account.needsOne';
  if (values.newPassword !== '' && values.newPassword === values.currentPassword)
    problems.newPassword = 'admin.account.samePassword';
  if (values.newPassword !== values.repeat) problems.repeat = 'admin.account.notEqual';
  return problems;
}

/** accountFields are the fields of the form that changes the account; passwords are sent as they were typed. */
export function accountFields(t: Translate): Fields<AccountValues> {
  const field = (name: keyof AccountValues, autoComplete: string): Fields<AccountValues>[string] => ({
    kind: 'secret',
    label: t(`admin.account.${name}`),
    write: (value) => String(value) || undefined,
    input: {
      autoComplete,
      validate: (_: unknown, all: AccountValues) => {
        const problem = accountProblems(all)[name];
        return problem && t(problem);
      },
    },
  });
  const name = field('newUsername', 'username');
  return {
    currentPassword: field('currentPassword', 'current-password'),
    newUsername: {
      ...name,
      kind: 'text',
      input: { ...name.input, hint: t('admin.account.usernameHint') },
      write: (value) => String(value).trim() || undefined,
    },
    newPassword: field('newPassword', 'new-password'),
    repeat: { ...field('repeat', 'new-password'), write: () => undefined },
  };
}

/** secondStepFields are those that prove who changes the second step. */
export function secondStepFields(t: Translate): Fields<{ password: string; code: string }> {
  const validate = checks(t).required;
  return {
    password: {
      kind: 'secret',
      label: t('ops.second.password'),
      input: { autoComplete: 'current-password', validate },
    },
    code: { kind: 'text', label: t('ops.second.code'), input: { autoComplete: 'one-time-code', validate } },
  };
}

/** strengthOf is a hint by length and variety; the server decides. */
export function strengthOf(password: string): 'weak' | 'fair' | 'strong' {
  const length = [...password].length;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((kind) => kind.test(password)).length;
  if (length < 12) return 'weak';
  return length >= 16 || kinds >= 3 ? 'strong' : 'fair';
}

/** changeProblem says why the account was not changed: the server's words, or that the password was not accepted (§8). */
export function changeProblem(error: unknown, t: Translate): string {
  const wordless = error instanceof ApiError && error.status === 401 && error.message === '';
  return wordless ? t('admin.account.verifyFailed') : errorText(error, t);
}
