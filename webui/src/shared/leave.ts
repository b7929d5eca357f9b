import { config } from '../config';
import { loadAreas, type Translate } from '../i18n';
import { askBefore } from './page';
import { confirm, toast } from './ui';
import { endsWithSession } from './unsaved';
import { signOut } from '../auth/signIn';

/**
 * leave signs out whoever asks for it, wherever they do: after the question of a page with something unsaved, which
 * nobody can save any more, and the one about transfers, which end with the session. False when they stay.
 */
export async function leave(t: Translate): Promise<boolean> {
  if ((await askBefore(`${config.basePath}/`)) === false) return false;
  if (endsWithSession()) {
    await loadAreas('pwa');
    const agreed = await confirm({
      title: t('pwa.uploads.title'),
      body: t('pwa.uploads.body'),
      confirmLabel: t('app.who.signOut'),
      danger: true,
    });
    if (!agreed) return false;
  }
  await signOut();
  toast.info(t('app.who.signedOut'));
  return true;
}
