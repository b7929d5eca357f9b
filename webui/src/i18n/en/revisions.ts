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
  restore: 'Restore this version',
  restored: 'Version restored',
  copy: 'Copy text',
  download: 'Download',
  text: {
    empty: 'No earlier versions yet. When you edit this text, its previous version will appear here.',
    off: 'This text keeps no earlier versions.',
    changed: 'The text has just been changed. Check the versions again before you restore one.',
    keep: 'Keep earlier versions of this text',
    drop: 'All earlier versions of this text will be permanently deleted, and edits will keep none from now on.',
  },
  file: {
    empty: 'No earlier versions yet. When you edit this file, its previous version will appear here.',
    off: 'This file keeps no earlier versions.',
    changed: 'The file has just been changed. Check the versions again before you restore one.',
    keep: 'Keep earlier versions of this file',
    drop: 'All earlier versions of this file will be permanently deleted, and edits will keep none from now on.',
    large: 'This file is larger than 10 MB. Your next edit won’t keep it as a version.',
  },
  drop: {
    title: 'Delete earlier versions?',
    confirm: 'Delete versions',
  },
};

export default revisions;
