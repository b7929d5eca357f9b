const pasteEdit = {
  heading: 'Edit',
  editor: 'Text of the share',
  placeholder: 'The text of the share',
  escape: 'Press Escape, then Tab, to leave the editor.',
  empty: 'The content cannot be empty',
  tooLarge: 'The text has %{size}; at most %{limit} can be shared',
  shortcut: 'Ctrl+S or ⌘S',
  kept: 'Your text is kept in this tab. Open “Edit” again to go on.',
  restored: 'Your unsaved text was restored.',
  loading: 'The text is being fetched',
  conflict: {
    title: 'Someone else has changed this text',
    body: 'It was saved by another person or tab after you opened it. Nothing is lost yet: choose what to keep.',
    mine: 'Your text',
    theirs: 'Their text',
    merge: 'Combine both',
    mergeHint:
      'The changes are in different places, so both can be kept. You see the result before it is saved.',
    noMerge: 'Both changed the same place, so they cannot be combined by themselves.',
    overwrite: 'Save mine',
    reload: 'Take theirs',
    fork: 'Open mine as a new text',
    merged: 'Both changes are in the editor. Check the text, then save.',
  },
};

export default pasteEdit;
