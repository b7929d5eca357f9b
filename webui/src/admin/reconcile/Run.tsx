import type { Reconciliation, ReconcilePlan, StrayFinding } from '../../api/admin/operations';
import { useLanguage, useT } from '../../i18n';
import { formatSize } from '../../shared/format';
import { Button, confirm, Time } from '../../shared/ui';
import styles from '../ops/ops.module.css';

type Choices = Partial<Pick<ReconcilePlan, 'objects' | 'records' | 'uploads'>>;
type Kind = 'orphans' | 'missing' | 'uploads';

interface RunProps {
  run: Reconciliation;
  /** name is that of the storage. */
  name: string;
  busy: boolean;
  onAct: (choices: Choices) => void;
}

const asChoice: Record<Kind, keyof Choices> = { orphans: 'objects', missing: 'records', uploads: 'uploads' };

/** Run is one comparison: what it looked at, what it found, and for a finished check what can be done about it. */
export function Run({ run, name, busy, onAct }: RunProps) {
  const t = useT();
  const language = useLanguage();
  const acted = run.report !== '';
  // The server takes a check for a day.
  const usable = run.status === 'completed' && !acted;
  const findings: [Kind, StrayFinding][] = [
    ['orphans', run.orphans],
    ['missing', run.missing],
    ['uploads', run.stale_uploads],
  ];

  async function act(kind: Kind, choice: 'adopt' | 'delete', count: number) {
    const adopt = choice === 'adopt';
    const title = t(adopt ? 'ops.reconcile.adoptTitle' : `ops.reconcile.deleteTitle.${kind}`, count);
    const body = t(adopt ? 'ops.reconcile.adoptBody' : 'ops.reconcile.deleteBody');
    const confirmLabel = t(`ops.reconcile.${choice}`);
    if (await confirm({ title, body, confirmLabel, danger: !adopt })) onAct({ [asChoice[kind]]: choice });
  }

  return (
    <>
      <h3>
        {name}
        {run.prefix && ` · ${run.prefix}`}
      </h3>
      <p role="status">
        {t(`ops.tasks.state.${run.status}`)} · <Time value={run.created_at} /> ·{' '}
        {t('ops.reconcile.looked', { looked: run.looked, seen: run.seen })}
      </p>
      {run.skipped && <p className={styles.muted}>{t(`ops.reconcile.skipped.${run.skipped}`)}</p>}
      {usable && !run.skipped && !run.prefix && <p className={styles.muted}>{t('ops.reconcile.whole')}</p>}
      {acted && (
        <p>
          {t('ops.reconcile.result', {
            adopted: run.adopted,
            deleted: run.deleted,
            size: formatSize(run.freed, language),
          })}
        </p>
      )}
      {!acted &&
        findings
          .filter(([kind]) => kind === 'missing' || !run.skipped)
          .map(([kind, finding]) => {
            const offered = usable && finding.count > 0 && (kind === 'missing' || run.prefix !== '');
            const label = t(`ops.reconcile.${kind}`);
            return (
              <div key={kind} role="group" aria-label={label}>
                <div className={styles.between}>
                  <p>
                    {t('ops.reconcile.found', {
                      finding: label,
                      count:
                        finding.count === 0
                          ? t('ops.reconcile.none')
                          : `${finding.count.toLocaleString(language)}${finding.bytes ? ` · ${formatSize(finding.bytes, language)}` : ''}`,
                    })}
                  </p>
                  {offered && (
                    <div className={styles.row}>
                      {kind === 'orphans' && (
                        <Button
                          disabled={busy}
                          aria-label={t('ops.reconcile.adoptOf', { finding: label })}
                          onClick={() => void act(kind, 'adopt', finding.count)}
                        >
                          {t('ops.reconcile.adopt')}
                        </Button>
                      )}
                      <Button
                        variant="danger"
                        disabled={busy}
                        aria-label={t('ops.reconcile.deleteOf', { finding: label })}
                        onClick={() => void act(kind, 'delete', finding.count)}
                      >
                        {t('ops.reconcile.delete')}
                      </Button>
                    </div>
                  )}
                </div>
                {finding.count > 0 && (
                  <details className={styles.details}>
                    <summary>{t('ops.reconcile.first', { count: finding.first.length })}</summary>
                    <ul>
                      {finding.first.map((found) => (
                        <li key={`${found.key} ${found.at}`}>
                          <code>{found.key}</code>
                        </li>
                      ))}
                    </ul>
                  </details>
                )}
              </div>
            );
          })}
    </>
  );
}
