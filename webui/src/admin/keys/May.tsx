import { CircleCheck, CircleHelp, CircleX } from 'lucide-react';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { explain, type Explanation } from '../../api/admin/operations';
import { errorText } from '../../api/errorText';
import { namesOf, permissions } from '../../auth/permissions';
import type { Key } from '../../api/admin/keys';
import { useLanguage, useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { Button, SelectField, TextField } from '../../shared/ui';
import { actionsQuery, mayQuery } from '../data/queries';
import formStyles from '../form/form.module.css';
import { pathBits } from './bits';
import { expiryOf, never, type KeyExpiry } from './expiry';
import styles from './keys.module.css';
import { questionFor, type Draft } from './question';
import { sentenceOf } from './scopes';

/** May says in words what a key with the chosen permissions can do, as the rules in force answer it. */
export function May({ stored }: { stored: Key | undefined }) {
  const t = useT();
  const language = useLanguage();
  const [bits, path, guest, expiry, at, days] = useWatch({
    name: ['permissions', 'basic_path', 'is_guest', 'expiry', 'expiry_at', 'expiry_days'],
  }) as unknown[];
  const draft: Draft = {
    id: stored?.id,
    permissions: Number(bits),
    basicPath: String(path),
    guest: Boolean(guest),
  };
  const names = namesOf(draft.permissions);
  const { data: answers } = useReading(mayQuery(draft, names));
  if (names.length === 0) return <p>{t('admin.keys.mayNothing')}</p>;
  return (
    <>
      <p>
        {sentenceOf(
          {
            permissions: draft.permissions,
            basic_path: draft.basicPath,
            expires_at: endOf(expiry, at, days, stored),
          },
          t,
          language,
        )}
      </p>
      <ul className={styles.may}>
        {names.map((name) => {
          const answer = answers?.[name];
          const Icon = answer === undefined ? CircleHelp : answer.allow ? CircleCheck : CircleX;
          return (
            <li key={name} data-answer={answer?.allow}>
              <Icon size={18} />
              <span>
                {t(`admin.keys.bits.${name}`)}
                {(permissions[name] & pathBits) !== 0 &&
                  ` ${t('admin.keys.mayIn', { path: draft.basicPath })}`}
                {answer?.allow === false && ` – ${t('admin.keys.mayNot')} ${reasonOf(answer)}`}
              </span>
            </li>
          );
        })}
      </ul>
      <Tester draft={draft} />
    </>
  );
}

/** endOf is when a key as it stands in the form ends; a date that is not one yet counts as none. */
function endOf(expiry: unknown, at: unknown, days: unknown, stored: Key | undefined): string {
  if (expiry === 'custom' && Number.isNaN(new Date(String(at)).getTime())) return never;
  if (expiry === 'days' && !(Number(days) > 0)) return never;
  const end = expiryOf(expiry as KeyExpiry, { at: String(at), days: Number(days) }, new Date());
  return (end === undefined ? stored?.expires_at : end) ?? never;
}

/** reasonOf names what decided a refusal: the rule's own words, with its code. */
const reasonOf = ({ reasons, failed }: Explanation): string =>
  reasons.map(({ code, message }) => (message ? `${message} (${code})` : code)).join('; ') || failed;

/** Tester asks the rules one question about the key as it stands in the form. */
function Tester({ draft }: { draft: Draft }) {
  const t = useT();
  const { data: actions } = useReading(actionsQuery);
  const [action, setAction] = useState('mount.upload');
  const [path, setPath] = useState('');
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<{ of: string; result?: Explanation; problem?: string }>();
  const at = path.trim() || draft.basicPath;
  const question = questionFor(draft, action, at);
  const of = JSON.stringify(question);

  async function ask() {
    setBusy(true);
    try {
      setSaid({ of, result: await explain(question) });
    } catch (error) {
      setSaid({ of, problem: errorText(error, t) });
    } finally {
      setBusy(false);
    }
  }

  // An answer to another question than the one in the form would mislead.
  const shown = said?.of === of ? said : undefined;
  const result = shown?.result;
  return (
    <div className={formStyles.groups} role="group" aria-label={t('admin.keys.tester')}>
      <p className={formStyles.hint}>{t('admin.keys.testerHint')}</p>
      <div className={styles.tester}>
        <SelectField
          label={t('admin.keys.testerAction')}
          value={action}
          choices={(actions ?? [action]).map((name) => ({ value: name, label: name }))}
          onChange={(event) => setAction(event.target.value)}
        />
        <TextField
          label={t('admin.keys.testerPath')}
          value={path}
          placeholder={draft.basicPath}
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => setPath(event.target.value)}
        />
        <Button busy={busy} onClick={() => void ask()}>
          {t('admin.keys.testerAsk')}
        </Button>
      </div>
      <div role="status">
        {shown?.problem && <p className={formStyles.problem}>{shown.problem}</p>}
        {result && (
          <p className={styles.answer} data-answer={result.allow}>
            <strong>{t(result.allow ? 'admin.keys.allowed' : 'admin.keys.refused')}</strong>{' '}
            {result.allow ? t('admin.keys.allowedBy') : reasonOf(result)}
          </p>
        )}
      </div>
    </div>
  );
}
