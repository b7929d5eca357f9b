import { CircleAlert, CircleCheck, CircleMinus, CircleX } from 'lucide-react';
import { useId } from 'react';
import { setCors, type TestReport, type TestStep, type Verdict } from '../../api/admin/storage';
import { useT } from '../../i18n';
import { ErrorPanel } from '../../shared/problem/ErrorPanel';
import { useReading } from '../../shared/query/useReading';
import { Button, CopyButton, Dialog, Skeleton } from '../../shared/ui';
import share from '../share/share.module.css';
import styles from './storage.module.css';
import { Facts } from '../share/Facts';
import { useAct } from '../useAct';

interface StorageTestProps {
  name: string;
  run: (signal: AbortSignal) => Promise<TestReport>;
  /** id of a stored config whose driver can set the cross-origin rule. */
  corsId?: string;
  onClose: () => void;
}

const icons: Record<TestStep['state'], typeof CircleCheck> = {
  ok: CircleCheck,
  warning: CircleAlert,
  failed: CircleX,
  skipped: CircleMinus,
};

/** verdictOf sums up a report: what the product needs at least is to list or to write. */
function verdictOf({ steps }: TestReport['result']): Verdict {
  const ok = (name: string) => steps.find((step) => step.name === name)?.ok ?? false;
  if (steps.every((step) => step.ok)) return 'full';
  return ok('connect') && (ok('list') || ok('write')) ? 'partial' : 'unusable';
}

/** StorageTest tries a storage and says step by step what works, what does not, and what to do about it. */
export function StorageTest({ name, run, corsId, onClose }: StorageTestProps) {
  const t = useT();
  // Each test is one of its own; its draft may hold secrets, which no key of a query may.
  const id = useId();
  const { data, error, isFetching, retry } = useReading({
    queryKey: ['storage test', id],
    queryFn: ({ signal }) => run(signal),
    staleTime: 'static',
    gcTime: 0,
  });
  const value = isFetching ? undefined : data;
  const { busy, act } = useAct();
  const guide = value?.result.cors.configGuide;

  const mend = (config: string) => act(() => setCors(config).then(retry), t('admin.storage.corsSet'));

  return (
    <Dialog
      wide
      title={t('admin.storage.testTitle', { name })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={retry}>{t('admin.storage.again')}</Button>
          <Button variant="primary" onClick={onClose}>
            {t('common.close')}
          </Button>
        </>
      }
    >
      {error && !isFetching && <ErrorPanel error={error} />}
      {isFetching && (
        <div role="status">
          <p>{t('admin.storage.testing')}</p>
          <Skeleton lines={8} />
        </div>
      )}
      {value && (
        // It can be longer than the dialog, which is scrolled by key only from what has the focus.
        <div className={share.stack} role="region" aria-label={t('admin.storage.report')} tabIndex={0}>
          <p role="status" className={styles.verdict} data-verdict={verdictOf(value.result)}>
            {t(`admin.storage.verdict.${verdictOf(value.result)}`)}
          </p>
          <ol className={styles.steps}>
            {value.result.steps.map((step) => (
              <Step key={step.name} step={step} />
            ))}
          </ol>
          {guide && (
            <section className={share.stack}>
              <h3>{t('admin.storage.corsRule')}</h3>
              <pre className={share.text} tabIndex={0} role="region" aria-label={t('admin.storage.corsRule')}>
                {guide}
              </pre>
              <div className={styles.tools}>
                <CopyButton text={guide} label={t('admin.storage.copyRule')} />
                {corsId && (
                  <Button busy={busy} onClick={() => mend(corsId)}>
                    {t('admin.storage.setCors')}
                  </Button>
                )}
              </div>
            </section>
          )}
          <section>
            <h3>{t('admin.storage.connectionInfo')}</h3>
            <Facts
              of={infoKeys.map((key) => [t(`admin.storage.info.${key}`), value.result.connectionInfo[key]])}
            />
          </section>
        </div>
      )}
    </Dialog>
  );
}

const infoKeys = [
  'bucket',
  'endpoint',
  'region',
  'pathStyle',
  'provider',
  'driver',
  'defaultFolder',
  'rootPrefix',
  'customHost',
  'signatureExpiresIn',
] as const;

function Step({ step }: { step: TestStep }) {
  const t = useT();
  const Icon = icons[step.state];
  return (
    <li className={styles.step} data-state={step.state}>
      <Icon size={18} />
      <div>
        <p>
          <strong>{step.label}</strong> · {t(`admin.storage.states.${step.state}`)}
          {step.state !== 'skipped' && <small> · {t('admin.storage.ms', { ms: step.ms })}</small>}
        </p>
        {step.cause && <p>{step.cause}</p>}
        {step.detail && <p className={styles.detail}>{t('admin.storage.detail', { text: step.detail })}</p>}
        {step.remedy && <p>{t('admin.storage.remedy', { text: step.remedy })}</p>}
      </div>
    </li>
  );
}
