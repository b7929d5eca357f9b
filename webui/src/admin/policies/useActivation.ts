import { activateRules, type Revision } from '../../api/admin/operations';
import { ApiError } from '../../api/client';
import { useT } from '../../i18n';
import { confirm } from '../../shared/ui';
import { confirmed } from '../form/confirmed';
import { questionOf, useAct } from '../useAct';

const trialSeconds = 600;

/**
 * useActivation asks whether a revision shall be in force, unless that is `agreed`; one that would lock out is offered on
 * trial.
 */
export function useActivation() {
  const t = useT();
  const { perform } = useAct();
  const activate = ({ id }: Pick<Revision, 'id'>, seconds?: number) =>
    confirmed(() => activateRules(id, seconds), t).then(() => true);

  return async (chosen: Pick<Revision, 'id' | 'number'>, agreed = false): Promise<void> => {
    const title = t(chosen.id === 'none' ? 'ops.policies.activateNone' : 'ops.policies.activateTitle', {
      number: chosen.number,
    });
    if (!agreed && !(await confirm({ ...questionOf(t, 'ops.policies.activate'), title }))) return;
    await perform(
      () =>
        activate(chosen).catch(async (error: unknown) => {
          if (!(error instanceof ApiError) || error.code !== 'policy_lockout') throw error;
          const trial = { confirmLabel: t('ops.policies.trial'), danger: true };
          return (
            (await confirm(questionOf(t, 'ops.policies.lockout', trial))) && activate(chosen, trialSeconds)
          );
        }),
      (done) => (done ? t('ops.policies.activated') : undefined),
    );
  };
}
