import { useState, type FormEvent } from 'react';
import {
  actionNames,
  explain,
  keyNames,
  type Explanation,
  type PolicyOverview,
} from '../../api/admin/operations';
import { useT } from '../../i18n';
import { errorText } from '../../shared/errorText';
import { Button, SelectField, TextField } from '../../shared/ui';
import styles from '../ops/ops.module.css';
import { useLoaded } from '../share/useLoaded';

/** Playground answers a made-up question by the rules, and tells why. Nothing changes. */
export function Playground({ overview }: { overview: PolicyOverview }) {
  const t = useT();
  const [result, setResult] = useState<Explanation>();
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const lists = useLoaded('playground', async (signal) => {
    const [keys, actions] = await Promise.all([keyNames(signal), actionNames(signal)]);
    return { keys, actions: actions.sort() };
  });

  async function ask(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const text = (name: string) => String(data.get(name) ?? '').trim();
    const caller = text('caller');
    const at = text('time');
    setBusy(true);
    setProblem('');
    try {
      setResult(
        await explain({
          ...(caller.startsWith('key ') ? { key_id: caller.slice(4) } : { type: caller }),
          action: text('action'),
          ...(text('path') && { paths: [text('path')], name: text('path').split('/').pop() }),
          size: Number(text('size') || 0),
          client_ip: text('address'),
          ...(at && { time: new Date(at).toISOString() }),
          ...(text('rules') && { revision: text('rules') }),
          tls: true,
          trace: data.get('trace') === 'on',
        }),
      );
    } catch (error) {
      setResult(undefined);
      setProblem(errorText(error, t));
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <form className={styles.panel} onSubmit={(event) => void ask(event)}>
        <div className={styles.row}>
          <SelectField
            name="caller"
            label={t('ops.policies.caller')}
            choices={[
              { value: 'anonymous', label: t('ops.policies.visitor') },
              { value: 'admin', label: t('ops.policies.admin') },
              ...(lists.value?.keys ?? []).map((key) => ({
                value: `key ${key.id}`,
                label: t('ops.policies.key', { name: key.name }),
              })),
            ]}
          />
          <SelectField
            name="action"
            label={t('ops.policies.action')}
            choices={(lists.value?.actions ?? []).map((action) => ({ value: action, label: action }))}
          />
          <TextField name="path" label={t('ops.policies.path')} placeholder="/local/a.txt" />
          <TextField name="size" label={t('ops.policies.size')} inputMode="numeric" />
          <TextField name="time" type="datetime-local" label={t('ops.policies.at')} />
          <TextField name="address" label={t('ops.address')} defaultValue="192.0.2.1" />
          <SelectField
            name="rules"
            label={t('ops.policies.by')}
            choices={[
              { value: '', label: t('ops.policies.inForce') },
              { value: 'none', label: t('ops.policies.shippedAlone') },
              ...overview.revisions.map((one) => ({
                value: one.id,
                label: t('ops.policies.revisionOf', { number: one.number, note: one.note }),
              })),
            ]}
          />
          <label>
            <input type="checkbox" name="trace" /> {t('ops.policies.trace')}
          </label>
          <Button type="submit" variant="primary" busy={busy}>
            {t('ops.policies.ask')}
          </Button>
        </div>
      </form>
      <div role="status">
        {problem && <p className={styles.bad}>{problem}</p>}
        {result && (
          <section className={styles.panel}>
            <p className={result.allow ? styles.good : styles.bad}>
              <strong>{t(result.allow ? 'ops.policies.allowed' : 'ops.policies.refused')}</strong>{' '}
              <span className={styles.muted}>{`${result.took_us} µs`}</span>
            </p>
            {result.failed && <pre className={styles.code}>{result.failed}</pre>}
            {result.reasons.length > 0 && (
              <ul>
                {result.reasons.map((reason) => (
                  <li key={reason.source + reason.code}>
                    <code>{reason.code}</code> {reason.message}
                  </li>
                ))}
              </ul>
            )}
            {Object.entries(result.obligations).map(([name, value]) => (
              <p key={name}>
                <code>{name}</code> ≤ {value}
              </p>
            ))}
            {result.fired.length > 0 && (
              <p>
                {t('ops.policies.fired')}{' '}
                {result.fired.map((rule) => `${rule.file}:${rule.row} ${rule.title || rule.code}`).join(', ')}
              </p>
            )}
            {result.trace && <pre className={styles.code}>{result.trace}</pre>}
          </section>
        )}
      </div>
    </>
  );
}
