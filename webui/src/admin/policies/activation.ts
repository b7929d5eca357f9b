import { activateRules, type Revision } from '../../api/admin/operations';
import { ApiError } from '../../api/client';
import { errorText } from '../../api/errorText';
import type { Translate } from '../../i18n';
import { confirm, toast } from '../../shared/ui';
import { confirmed } from '../form/confirmed';

const trialSeconds = 600;

/**
 * offerActivation asks whether a revision shall be in force, unless that is `agreed`; one that would lock out is offered on
 * trial.
 */
export async function offerActivation(
  chosen: Pick<Revision, 'id' | 'number'>,
  t: Translate,
  agreed = false,
): Promise<void> {
  const title =
    chosen.id === 'none'
      ? t('ops.policies.activateNone')
      : t('ops.policies.activateTitle', { number: chosen.number });
  if (
    !agreed &&
    !(await confirm({
      title,
      body: t('ops.policies.activateBody'),
      confirmLabel: t('ops.policies.activate'),
    }))
  )
    return;
  try {
    await confirmed(() => activateRules(chosen.id), t);
    toast.success(t('ops.policies.activated'));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'policy_lockout') {
      toast.error(errorText(error, t));
      return;
    }
    const trial = await confirm({
      title: t('ops.policies.lockoutTitle'),
      body: t('ops.policies.lockoutBody'),
      confirmLabel: t('ops.policies.trial'),
      danger: true,
    });
    if (!trial) return;
    try {
      await confirmed(() => activateRules(chosen.id, trialSeconds), t);
      toast.success(t('ops.policies.activated'));
    } catch (problem) {
      toast.error(errorText(problem, t));
    }
  }
}
