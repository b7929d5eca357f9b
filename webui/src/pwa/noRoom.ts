import { loadAreas, t } from '../i18n';
import { toast } from '../shared/ui';

/** sayNoRoom tells that this device keeps no copies. */
export async function sayNoRoom(): Promise<void> {
  await loadAreas('pwa');
  toast.warning(t('pwa.noRoom'));
}
