/** panel are the pages below /admin in the order of its menu, each with the message key of its heading. */
export const panel = {
  '': 'admin.pages.dashboard',
  shares: 'admin.pages.shares',
  'text-management': 'admin.pages.texts',
  'file-management': 'admin.pages.files',
  requests: 'admin.pages.requests',
  'storage-config': 'admin.pages.storage',
  'mount-management': 'admin.pages.mounts',
  'key-management': 'admin.pages.keys',
  policies: 'admin.pages.policies',
  backup: 'admin.pages.backup',
  account: 'admin.pages.account',
  'settings/global': 'admin.pages.global',
  'settings/webdav': 'admin.pages.webdav',
  'settings/preview': 'admin.pages.preview',
  'settings/site': 'admin.pages.site',
  'settings/backup': 'admin.pages.backupSettings',
  visits: 'admin.pages.visits',
  tasks: 'admin.pages.tasks',
  notifications: 'admin.pages.notifications',
  audit: 'admin.pages.audit',
  doctor: 'admin.pages.doctor',
  reconcile: 'admin.pages.reconcile',
};

/** forms are the pages of the panel that its menu does not list. */
export const forms = {
  'requests/create': 'requests.create',
  'storage-config/create': 'admin.storage.create',
  'mount-management/create': 'admin.mounts.create',
  'key-management/create': 'admin.keys.create',
  'notifications/create': 'channels.create',
};
