const home = {
  heading: 'Share a text',
  modes: { label: 'Editor' },
  ways: { plain: 'Text', instant: 'Instant', source: 'Source', split: 'Split', preview: 'Preview' },
  editor: {
    label: 'Text to share',
    placeholder: 'Type or paste a text here',
    preview: 'Preview of the text',
    escape: 'Press Escape, then Tab, to leave the editor.',
    empty: 'The preview appears here.',
    devices: { label: 'Width of the preview', desktop: 'Desktop', tablet: 'Tablet', phone: 'Phone' },
    divider: 'Width of the source',
    large: 'The text is large, so it is not rendered while you type.',
    renderNow: 'Show preview',
  },
  toolbar: {
    attachNeeds: 'you need the permission to share files',
    label: 'Formatting',
    import: 'Import a file',
    clear: 'Clear',
  },
  counter: {
    characters: '%{count} character |||| %{count} characters',
    words: '%{count} word |||| %{count} words',
    lines: '%{count} line |||| %{count} lines',
    size: '%{size} of %{limit}',
  },
  draft: {
    restored: 'Your draft was restored.',
    saved: 'Draft saved on this device',
    notSaved: 'The draft does not fit on this device. Share or export the text before you leave.',
    otherTab: 'Another tab has saved a draft of its own. It is in the list of recent drafts.',
    lost: 'The text of this draft is not on this device any more.',
  },
  share: {
    heading: 'Share settings',
    syntax: 'Syntax',
    syntaxAuto: 'Found out from the text',
    submit: 'Share',
    shortcut: 'Ctrl+Enter or ⌘Enter',
    empty: 'The content cannot be empty',
    tooLarge: 'The text has %{size}; at most %{limit} can be shared',
    networkKept: 'The text is kept as a draft on this device. Try again when the connection is back.',
  },
};

export default home;
