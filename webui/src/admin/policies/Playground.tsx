import { useState, type FormEvent } from 'react';
import {
  explain,
  revision,
  type Decision,
  type Rules,
  type Explanation,
  whoMay,
  type PolicyOverview,
  type Verdict,
} from '../../api/admin/operations';
import { errorText } from '../../api/errorText';
import { useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { Button, SelectField, TextField } from '../../shared/ui';
import { FormProblems } from '../../shared/ui/FormProblems';
import { actionsQuery, keyNamesQuery } from '../data/queries';
import { confirmed } from '../form/confirmed';
import { Code } from '../ops/Code';
import styles from '../ops/ops.module.css';
import { Table } from '../ops/Table';
import { Evaluated } from './Evaluated';

interface PlaygroundProps {
  overview: PolicyOverview;
  /** draft are rules that are written and not saved. */
  draft: Rules | undefined;
  /** decision of the log whose question is asked again. */
  decision: Decision | undefined;
  /** onLeave gives the recorded question up for a made-up one. */
  onLeave: () => void;
}

/** Playground answers a made-up or a recorded question by the rules, and tells why. Nothing changes. */
export function Playground({ overview, draft, decision, onLeave }: PlaygroundProps) {
  const t = useT();
  const [result, setResult] = useState<{ answer: Explanation; files: Rules }>();
  const [verdicts, setVerdicts] = useState<Verdict[]>();
  const [problem, setProblem] = useState('');
  const [wrong, setWrong] = useState<{ path?: string | undefined; size?: string | undefined }>({});
  const [asked, setAsked] = useState(0);
  const [busy, setBusy] = useState(false);
  const { data: keys = [] } = useReading(keyNamesQuery);
  const { data: actions = [] } = useReading(actionsQuery);

  /** questionOf is what the form asks, of whoever it is asked about. */
  function questionOf(form: HTMLFormElement) {
    const data = new FormData(form);
    const text = (name: string) => String(data.get(name) ?? '').trim();
    const at = text('time');
    return {
      caller: text('caller'),
      rules: text('rules'),
      trace: data.get('trace') === 'on',
      about: {
        action: text('action'),
        ...(text('path') && { paths: [text('path')], name: text('path').split('/').pop() }),
        size: Number(text('size') || 0),
        client_ip: text('address'),
        ...(at && { time: new Date(at).toISOString() }),
        tls: true,
      },
    };
  }

  /** filesOf are the files of the rules that were asked. */
  async function filesOf(rules: string): Promise<Rules> {
    if (rules === 'draft') return draft ?? {};
    if (rules === 'none') return {};
    return rules === '' ? overview.files : ((await revision(rules)).files ?? {});
  }

  async function ask(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const { caller, rules, trace, about } = questionOf(event.currentTarget);
    const problems = {
      ...(about.paths && !about.paths[0]?.startsWith('/') && { path: t('admin.mounts.wrong.start') }),
      ...(!(Number.isSafeInteger(about.size) && about.size >= 0) && { size: t('admin.form.integer') }),
    };
    setWrong(problems);
    if (Object.keys(problems).length > 0) {
      setAsked((before) => before + 1);
      return;
    }
    const ofAll = (event.nativeEvent as SubmitEvent).submitter?.getAttribute('value') === 'who';
    setBusy(true);
    setProblem('');
    setResult(undefined);
    setVerdicts(undefined);
    try {
      if (ofAll) setVerdicts(await whoMay(about));
      else {
        const answer = await confirmed(
          () =>
            explain({
              ...(decision
                ? { decision_id: decision.decision_id }
                : {
                    ...about,
                    ...(caller.startsWith('key ') ? { key_id: caller.slice(4) } : { type: caller }),
                  }),
              ...(rules === 'draft' ? { files: draft } : rules && { revision: rules }),
              trace,
            }),
          t,
        );
        setResult({ answer, files: await filesOf(rules) });
      }
    } catch (error) {
      setProblem(errorText(error, t));
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <form className={styles.panel} onSubmit={(event) => void ask(event)} noValidate>
        <FormProblems asked={asked} />
        {decision && (
          <div className={styles.between}>
            <p>
              {t('ops.policies.recorded')} <code>{decision.decision_id}</code>
              <span className={styles.more}>
                {[decision.name || decision.type, decision.action, decision.path].filter(Boolean).join(' · ')}
                {' · '}
                {decision.allow
                  ? t('ops.policies.allowed')
                  : t('ops.policies.refusedFor', {
                      reason: decision.codes.join(', ') || decision.failed || '',
                    })}
              </span>
            </p>
            <Button
              onClick={() => {
                setResult(undefined);
                onLeave();
              }}
            >
              {t('ops.policies.askOther')}
            </Button>
          </div>
        )}
        <div className={styles.fields}>
          {!decision && (
            <>
              <SelectField
                name="caller"
                label={t('ops.policies.caller')}
                choices={[
                  { value: 'anonymous', label: t('ops.policies.visitor') },
                  { value: 'admin', label: t('ops.policies.admin') },
                  ...keys.map((key) => ({
                    value: `key ${key.id}`,
                    label: t('ops.policies.key', { name: key.name }),
                  })),
                ]}
              />
              <SelectField
                name="action"
                label={t('ops.policies.action')}
                choices={actions.map((action) => ({ value: action, label: action }))}
              />
              <TextField
                name="path"
                label={t('ops.policies.path')}
                placeholder="/local/a.txt"
                error={wrong.path}
                onChange={() => setWrong({ ...wrong, path: undefined })}
              />
              <TextField
                name="size"
                label={t('ops.policies.size')}
                inputMode="numeric"
                error={wrong.size}
                onChange={() => setWrong({ ...wrong, size: undefined })}
              />
              <TextField name="time" type="datetime-local" label={t('ops.policies.at')} />
              <TextField name="address" label={t('ops.address')} defaultValue="192.0.2.1" />
            </>
          )}
          <SelectField
            name="rules"
            label={t('ops.policies.by')}
            choices={[
              { value: '', label: t('ops.policies.inForce') },
              ...(draft ? [{ value: 'draft', label: t('ops.policies.draft') }] : []),
              { value: 'none', label: t('ops.policies.shippedAlone') },
              ...overview.revisions.map((one) => ({
                value: one.id,
                label: t('ops.policies.revisionOf', { number: one.number, note: one.note }),
              })),
            ]}
          />
        </div>
        <div className={styles.row}>
          <Button type="submit" variant="primary" busy={busy}>
            {t('ops.policies.ask')}
          </Button>
          {!decision && (
            <Button type="submit" value="who" busy={busy}>
              {t('ops.policies.who')}
            </Button>
          )}
          <label className={styles.tick}>
            <input type="checkbox" name="trace" /> {t('ops.policies.trace')}
          </label>
        </div>
      </form>
      <div role="status">
        {problem && <p className={styles.bad}>{problem}</p>}
        {result && (
          <section className={styles.panel}>
            <p className={result.answer.allow ? styles.good : styles.bad}>
              <strong>{t(result.answer.allow ? 'ops.policies.allowed' : 'ops.policies.refused')}</strong>{' '}
              <span className={styles.muted}>{`${result.answer.took_us} µs`}</span>
            </p>
            {result.answer.failed && <Code label={t('ops.policies.outcome')}>{result.answer.failed}</Code>}
            {result.answer.reasons.length > 0 && (
              <ul>
                {result.answer.reasons.map((reason) => (
                  <li key={reason.source + reason.code}>
                    <code>{reason.code}</code> {reason.message}
                  </li>
                ))}
              </ul>
            )}
            {Object.entries(result.answer.obligations).map(([name, value]) => (
              <p key={name}>
                <code>{name}</code> ≤ {value}
              </p>
            ))}
            {result.answer.fired.length > 0 && (
              <p>
                {t('ops.policies.fired')}{' '}
                {result.answer.fired
                  .map((rule) => `${rule.file}:${rule.row} ${rule.title || rule.code}`)
                  .join(', ')}
              </p>
            )}
            <Evaluated files={result.files} lines={result.answer.lines} />
            {result.answer.trace && <Code label={t('ops.policies.trace')}>{result.answer.trace}</Code>}
          </section>
        )}
        {verdicts && (
          <Table
            label={t('ops.policies.who')}
            rows={verdicts}
            keyOf={(row) => row.id}
            columns={[
              { label: t('ops.policies.caller'), render: (row) => row.name },
              {
                label: t('ops.policies.outcome'),
                render: (row) => (
                  <span className={row.allow ? styles.good : styles.bad}>
                    {t(row.allow ? 'ops.policies.allowed' : 'ops.policies.refused')}
                  </span>
                ),
              },
              {
                label: t('ops.policies.code'),
                long: true,
                render: (row) =>
                  row.reasons.map(({ code, message }) => message || code).join('; ') || row.failed,
              },
            ]}
          />
        )}
      </div>
    </>
  );
}
