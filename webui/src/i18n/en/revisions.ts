const revisions = {
  title: 'Version history of “%{name}”',
  list: 'Versions',
  current: 'Current version',
  by: 'by %{who}',
  admin: 'administrator',
  someone: 'a deleted key',
  changes: 'Changes from this version to the current one',
  added: 'Added:',
  removed: 'Removed:',
  same: 'This version has the same text as the current one.',
  empty: 'No earlier versions yet. When you edit this text, its previous version will appear here.',
  off: 'This text keeps no earlier versions.',
  restore: 'Restore this version',
  restored: 'Version restored',
  changed: 'The text was changed in the meantime. Check the versions again before you restore one.',
  copy: 'Copy this version',
  keep: 'Keep earlier versions of this text',
  drop: {
    title: 'Delete earlier versions?',
    body: 'All earlier versions of this text will be permanently deleted, and edits will keep none from now on.',
    confirm: 'Delete versions',
  },
};

export default revisions;
