import { useState, type ReactNode } from 'react';
import { useWatch } from 'react-hook-form';
import { endSession } from '../../api/admin/system';
import { changePassword } from '../../api/auth';
import { useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { Button, Time } from '../../shared/ui';
import { sessionsQuery } from '../data/queries';
import { AskForm } from '../form/AskForm';
import { draftOf, FieldInput } from '../form/fields';
import { Section } from '../form/PanelForm';
import formStyles from '../form/form.module.css';
import { PanelPage } from '../list/PanelPage';
import { Loaded } from '../ops/Loaded';
import { Chip } from '../share/cells';
import { Facts } from '../share/Facts';
import { useAct } from '../useAct';
import styles from './account.module.css';
import { browserOf } from './browser';
import { Countdown } from './Countdown';
import { SecondStep } from './SecondStep';
import { accountFields, changeProblem, strengthOf } from './rules';

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
  const fields = accountFields(t);
  return (
    <AskForm
      title={t('admin.account.change')}
      fields={fields}
      ask={(values) =>
        changePassword(draftOf(fields, values) as Parameters<typeof changePassword>[0]).then(onChanged)
      }
      problemOf={(error) => changeProblem(error, t)}
      label={t('admin.form.save')}
      primary
      guarded
    >
      <FieldInput source="currentPassword" />
      <FieldInput source="newUsername" />
      <NewPassword />
      <FieldInput source="repeat" />
    </AskForm>
  );
}

/** NewPassword says how strong it is while it is typed. */
function NewPassword() {
  const t = useT();
  const typed = String(useWatch({ name: 'newPassword' }) ?? '');
  const hint = typed === '' ? 'admin.account.passwordHint' : `admin.account.strength.${strengthOf(typed)}`;
  return <FieldInput source="newPassword" hint={t(hint)} />;
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
