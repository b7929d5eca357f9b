import type { Translate } from '../../i18n';

/** The one provider that has no name of its own. */
const localDisk = 'Local disk';

/** providerName is what a provider of storage is called; all but a disk of the server have a name of their own. */
export const providerName = (provider: string, t: Translate): string =>
  provider === localDisk ? t('admin.words.localDisk') : provider;
