const homeMore = {
  import: {
    replaceTitle: 'Replace the text?',
    replaceBody: 'The text in the editor is replaced by “%{name}”.',
    replace: 'Replace',
    done: '“%{name}” was imported',
    tooLarge: '“%{name}” has %{size}; at most %{limit} can be imported',
    failed: '“%{name}” could not be read',
    binary: '“%{name}” is not a text file',
  },
  clear: {
    title: 'Clear the text?',
    body: 'The text and the share form are emptied.',
    confirm: 'Clear',
    done: 'The text was cleared',
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
