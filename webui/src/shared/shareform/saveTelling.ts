import { loadAreas, type Translate } from '../../i18n';
import { toast } from '../ui';

/**
 * saveTelling has the owner of a share told when it is opened, or no more. It answers how that stands then; what went
 * wrong has been said, and that no channel would bring the news, too.
 */
export async function saveTelling(id: string, tell: boolean, t: Translate): Promise<boolean> {
  try {
    const { tellMe, ownChannels } = await import('../../api/notifications');
    await tellMe(id, tell);
    const heard =
      tell && (await ownChannels()).some(({ active, kinds }) => active && kinds.includes('share.opened'));
    if (tell && !heard) {
      await loadAreas('shareBox');
      toast.info(t('shareBox.tellNowhere'));
    }
    return tell;
  } catch (error) {
    const { tellError } = await import('../offline/tellError');
    tellError(error, t);
    return !tell;
  }
}
