import type { Translate } from '../../i18n';
import { makeStore } from '../../store';

/** unheard is the id of the share whose news no channel brings, as was found when it was asked for; "" is none. */
export const unheard = makeStore('');

/**
 * saveTelling has the owner of a share told when it is opened, or no more. It answers how that stands then; what went
 * wrong has been said.
 */
export async function saveTelling(id: string, tell: boolean, t: Translate): Promise<boolean> {
  try {
    const { tellMe, ownChannels } = await import('../../api/notifications');
    await tellMe(id, tell);
    const heard =
      !tell || (await ownChannels()).some(({ active, kinds }) => active && kinds.includes('share.opened'));
    unheard.set(heard ? '' : id);
    return tell;
  } catch (error) {
    const { tellError } = await import('../offline/tellError');
    tellError(error, t);
    return !tell;
  }
}
