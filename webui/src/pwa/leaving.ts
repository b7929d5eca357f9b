import { loadAreas, t } from '../i18n';
import { confirm } from '../shared/ui';
import { discardAll, waiting } from './queue';

/** settleQueue asks somebody who signs out what becomes of the changes that still wait. */
export async function settleQueue(): Promise<void> {
  const items = await waiting().catch(() => []);
  if (items.length === 0) return;
  await loadAreas('pwa');
  const drop = await confirm({
    title: t('pwa.queue.signOutTitle'),
    body: t('pwa.queue.signOutBody', items.length),
    confirmLabel: t('pwa.queue.signOutDiscard'),
    cancelLabel: t('pwa.queue.signOutKeep'),
    danger: true,
  });
  if (drop) await discardAll();
}
