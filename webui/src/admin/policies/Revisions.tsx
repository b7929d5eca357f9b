import { lazy, Suspense } from 'react';
import {
  revision,
  shadowRules,
  type PolicyOverview,
  type Revision,
  type Rules,
} from '../../api/admin/operations';
import { useT } from '../../i18n';
import { Button, EmptyState, Skeleton, Time } from '../../shared/ui';
import { confirmed } from '../form/confirmed';
import styles from '../ops/ops.module.css';
import { Table } from '../ops/Table';
import { useAct } from '../useAct';
import { useActivation } from './useActivation';
import { Bundles, saveBundle } from './Bundles';

const Compare = lazy(() => import('./Compare').then(({ Compare: Shown }) => ({ default: Shown })));

interface RevisionsProps {
  overview: PolicyOverview;
  onChanged: () => void;
  /** onOpen is handed a revision with its files, which shall be in the editor. */
  onOpen: (one: Revision) => void;
  /** onImport is handed the files of a bundle, which shall be in the editor. */
  onImport: (files: Rules) => void;
}

/** Revisions puts saved rules in force, or in shadow, and tells how those in shadow would have answered. */
export function Revisions({ overview, onChanged, onOpen, onImport }: RevisionsProps) {
  const t = useT();
  const { act } = useAct();
  const offer = useActivation();
  const { state, shadow } = overview;
  const fixed = overview.source === 'folder';

  async function activate(chosen: Pick<Revision, 'id' | 'number'>) {
    await offer(chosen);
    onChanged();
  }

  async function setShadow(id: string) {
    await confirmed(() => shadowRules(id), t);
    onChanged();
  }

  return (
    <>
      <Bundles inForce={overview.in_force} fixed={fixed} onImport={onImport} />
      {overview.revisions.length === 0 && (
        <EmptyState title={t('ops.policies.noRevisions')} body={t('ops.policies.noRevisionsBody')} />
      )}
      {overview.revisions.length > 0 && (
        <Table
          label={t('ops.policies.revisions')}
          rows={overview.revisions}
          keyOf={(row) => row.id}
          columns={[
            { label: t('ops.policies.number'), render: (row) => row.number },
            { label: t('ops.policies.note'), render: (row) => row.note },
            { label: t('ops.policies.author'), render: (row) => row.author },
            { label: t('ops.time'), render: (row) => <Time value={row.created_at} /> },
            {
              label: t('ops.policies.use'),
              render: (row) => (
                <div className={styles.actions}>
                  {row.id === state.active ? (
                    <strong className={styles.good}>{t('ops.policies.active')}</strong>
                  ) : (
                    <Button disabled={fixed} onClick={() => void activate(row)}>
                      {t('ops.policies.activate')}
                    </Button>
                  )}
                  {row.id === state.shadow && (
                    <span className={styles.muted}>{t('ops.policies.inShadow')}</span>
                  )}
                  {row.id !== state.shadow && row.id !== state.active && (
                    <Button variant="quiet" disabled={fixed} onClick={() => act(() => setShadow(row.id))}>
                      {t('ops.policies.shadow')}
                    </Button>
                  )}
                  <Button variant="quiet" onClick={() => act(async () => onOpen(await revision(row.id)))}>
                    {t('ops.policies.open')}
                  </Button>
                  <Button variant="quiet" onClick={() => act(() => saveBundle(row.id, String(row.number)))}>
                    {t('ops.policies.bundle.save')}
                  </Button>
                </div>
              ),
            },
          ]}
        />
      )}
      {overview.revisions.length > 1 && (
        <Suspense fallback={<Skeleton lines={4} />}>
          <Compare revisions={overview.revisions} />
        </Suspense>
      )}
      {state.active !== 'none' && !fixed && (
        <div>
          <Button onClick={() => void activate({ id: 'none', number: 0 })}>
            {t('ops.policies.shipped')}
          </Button>
        </div>
      )}
      {shadow && (
        <section className={styles.panel}>
          <h2>{t('ops.policies.shadowReport')}</h2>
          <p>
            {t('ops.policies.shadowCounts', {
              asked: shadow.asked,
              differ: shadow.differ,
              missed: shadow.failed + shadow.dropped,
            })}
          </p>
          {shadow.differences.length > 0 && (
            <Table
              label={t('ops.policies.shadowReport')}
              rows={shadow.differences}
              keyOf={(row) =>
                [row.action, row.type, row.name, row.allowed, row.shadow, ...row.reasons].join(' ')
              }
              columns={[
                { label: t('ops.policies.action'), render: (row) => <code>{row.action}</code> },
                { label: t('ops.policies.caller'), render: (row) => row.name || row.type },
                {
                  label: t('ops.policies.change'),
                  render: (row) =>
                    `${t(row.allowed ? 'ops.policies.allowed' : 'ops.policies.refused')} → ${t(row.shadow ? 'ops.policies.allowed' : 'ops.policies.refused')}`,
                },
                { label: t('ops.policies.code'), render: (row) => row.reasons.join(', ') },
                { label: t('ops.policies.count'), render: (row) => row.count },
              ]}
            />
          )}
          <div>
            <Button onClick={() => act(() => setShadow(''))}>{t('ops.policies.endShadow')}</Button>
          </div>
        </section>
      )}
    </>
  );
}
