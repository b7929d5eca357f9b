/** settingsPages are the pages of the settings below /admin/settings, by the numbers of their groups. */
export const settingsPages: Readonly<Record<string, string>> = {
  1: 'global',
  2: 'preview',
  3: 'webdav',
  4: 'site',
  5: 'backup',
};
