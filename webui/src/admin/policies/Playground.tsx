import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
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
import { useT, type Translate } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { Button } from '../../shared/ui';
import { actionsQuery, keyNamesQuery } from '../data/queries';
import { AskForm } from '../form/AskForm';
import { confirmed } from '../form/confirmed';
import { draftOf, FieldInput, type Fields } from '../form/fields';
import { checks } from '../form/validate';
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

/** A Question is what the rules are asked; its time is the one of this device. */
interface Question {
  action: string;
  path: string;
  size: number;
  time: string;
  client_ip: string;
}

/** Asked is of whom the form asks, and by which rules. */
interface Asked {
  caller: string;
  rules: string;
  trace: boolean;
}

/** questionFields are those of the form; the first action stands for none. */
function questionFields(t: Translate, actions: readonly string[]): Fields<Question & Asked> {
  const check = checks(t);
  const rooted = (value: unknown) =>
    value === '' || String(value).startsWith('/') ? undefined : t('admin.mounts.wrong.start');
  const unsent = () => undefined;
  return {
    caller: { kind: 'choice', label: t('ops.policies.caller'), initial: 'anonymous', write: unsent },
    action: {
      kind: 'choice',
      label: t('ops.policies.action'),
      write: (value) => value || actions[0],
    },
    path: {
      kind: 'text',
      label: t('ops.policies.path'),
      input: { placeholder: '/local/a.txt', validate: rooted },
    },
    size: {
      kind: 'number',
      initial: '',
      label: t('ops.policies.size'),
      input: { validate: [check.integer, check.notNegative] },
    },
    time: { kind: 'text', label: t('ops.policies.at'), input: { type: 'datetime-local' } },
    client_ip: { kind: 'text', label: t('ops.address'), initial: '192.0.2.1' },
    rules: { kind: 'choice', label: t('ops.policies.by'), write: unsent },
    trace: { kind: 'switch', label: t('ops.policies.trace'), write: unsent },
  };
}

/** Playground answers a made-up or a recorded question by the rules, and tells why. Nothing changes. */
export function Playground({ overview, draft, decision, onLeave }: PlaygroundProps) {
  const t = useT();
  const [result, setResult] = useState<{ answer: Explanation; files: Rules }>();
  const [verdicts, setVerdicts] = useState<Verdict[]>();
  const { data: keys = [] } = useReading(keyNamesQuery);
  const { data: actions = [] } = useReading(actionsQuery);
  const fields = questionFields(t, actions);

  /** questionOf is what the form asks, of whoever it is asked about. */
  function questionOf(values: FieldValues) {
    const { path, time, ...asked } = draftOf(fields, values) as Pick<Question, keyof Question>;
    return {
      ...asked,
      ...(path && { paths: [path], name: path.split('/').pop() }),
      ...(time && { time: new Date(time).toISOString() }),
      tls: true,
    };
  }

  /** filesOf are the files of the rules that were asked. */
  async function filesOf(rules: string): Promise<Rules> {
    if (rules === 'draft') return draft ?? {};
    if (rules === 'none') return {};
    return rules === '' ? overview.files : ((await revision(rules)).files ?? {});
  }

  const clear = () => {
    setResult(undefined);
    setVerdicts(undefined);
  };

  async function ask(values: FieldValues) {
    clear();
    const { caller, rules, trace } = values as Asked;
    const question = decision
      ? { decision_id: decision.decision_id }
      : {
          ...questionOf(values),
          ...(caller.startsWith('key ') ? { key_id: caller.slice(4) } : { type: caller }),
        };
    const by = rules === 'draft' ? { files: draft } : rules && { revision: rules };
    const answer = await confirmed(() => explain({ ...question, ...by, trace }), t);
    setResult({ answer, files: await filesOf(rules) });
  }

  async function askOfAll(values: FieldValues) {
    clear();
    setVerdicts(await whoMay(questionOf(values)));
  }

  return (
    <>
      <div className={styles.panel}>
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
        <AskForm
          fields={fields}
          ask={ask}
          label={t('ops.policies.ask')}
          primary
          {...(!decision && { other: { label: t('ops.policies.who'), ask: askOfAll } })}
        >
          <div className={styles.fields}>
            {!decision && (
              <>
                <FieldInput
                  source="caller"
                  choices={[
                    { value: 'anonymous', label: t('ops.policies.visitor') },
                    { value: 'admin', label: t('ops.policies.admin') },
                    ...keys.map((key) => ({
                      value: `key ${key.id}`,
                      label: t('ops.policies.key', { name: key.name }),
                    })),
                  ]}
                />
                <FieldInput
                  source="action"
                  choices={actions.map((action) => ({ value: action, label: action }))}
                />
                <FieldInput source="path" />
                <FieldInput source="size" />
                <FieldInput source="time" />
                <FieldInput source="client_ip" />
              </>
            )}
            <FieldInput
              source="rules"
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
          <FieldInput source="trace" />
        </AskForm>
      </div>
      <div role="status">
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
