const home = {
  heading: 'New paste',
  modes: { label: 'Editor' },
  ways: { plain: 'Text', instant: 'Instant', source: 'Source', split: 'Split', preview: 'Preview' },
  editor: {
    label: 'Text to share',
    placeholder: 'Type or paste text here',
    preview: 'Text preview',
    escape: 'Press Escape, then Tab, to leave the editor.',
    empty: 'The preview appears here.',
    devices: { label: 'Preview width', desktop: 'Desktop', tablet: 'Tablet', phone: 'Phone' },
    divider: 'Source width',
    large: 'Large text: live preview is off.',
    renderNow: 'Show preview',
  },
  toolbar: {
    attachNeeds: 'you need permission to share files',
    label: 'Formatting',
    import: 'Import a file',
    clear: 'Clear',
  },
  counter: {
    characters: '%{count} character |||| %{count} characters',
    words: '%{count} word |||| %{count} words',
    lines: '%{count} line |||| %{count} lines',
    size: '%{size} / %{limit}',
  },
  draft: {
    restored: 'Your draft was restored.',
    saved: 'Draft saved on this device',
    notSaved: 'This draft is too large to save on this device. Share or export it before you leave.',
    otherTab: 'Another tab saved its own draft. You’ll find it under Recent drafts.',
    lost: 'This draft is no longer on this device.',
  },
  share: {
    heading: 'Share settings',
    syntax: 'Syntax',
    syntaxAuto: 'Detect automatically',
    submit: 'Share',
    shortcut: 'Ctrl+Enter or ⌘Enter',
    empty: 'The content can’t be empty',
    tooLarge: 'The text is %{size}; the limit is %{limit}',
    networkKept: '%{reason} Your text is saved as a draft. Try again when you’re back online.',
  },
};

export default home;
