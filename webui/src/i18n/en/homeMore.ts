const homeMore = {
  import: {
    replaceTitle: 'Replace the text?',
    replaceBody: '“%{name}” will replace the text in the editor.',
    replace: 'Replace',
    done: '“%{name}” imported',
    tooLarge: '“%{name}” is %{size}; the limit is %{limit}',
    failed: '“%{name}” couldn’t be read',
    binary: '“%{name}” isn’t a text file',
  },
  files: { label: 'Files', twice: '“%{name}” is already in the list' },
  clear: {
    title: 'Clear the text?',
    body: 'The text and the share settings will be cleared.',
    confirm: 'Clear',
    done: 'Text cleared',
  },
  leave: {
    title: 'Leave without saving?',
    body: 'This text is too large to save on this device and will be lost.',
    confirm: 'Leave',
  },
  draft: {
    recent: 'Recent drafts',
    restore: 'Restore',
    empty: 'Empty',
  },
  announcement: {
    title: 'Announcement',
    never: 'Don’t show again',
    gotIt: 'Got it',
  },
};

export default homeMore;
