const collection = {
  place: 'Shared files',
  files: '%{smart_count} file |||| %{smart_count} files',
  facts: '%{files} · %{size}',
  items: 'Files',
  entries: '%{smart_count} entry |||| %{smart_count} entries',
  way: 'Folder path',
  more: 'Show %{smart_count} more',
  preview: 'Preview of %{name}',
  download: 'Download %{name}',
  downloadAll: 'Download all as ZIP',
  edit: 'Edit',
  pictures: 'Images',
  noPictures: 'There are no images here',
  look: { label: 'View', list: 'List', grid: 'Grid', gallery: 'Gallery' },
  order: {
    label: 'Sort by',
    given: 'As arranged',
    name: 'Name',
    newest: 'Newest first',
    largest: 'Largest first',
  },
  close: 'Close preview',
  empty: 'There are no files here',
  lastView: 'This was the last view. Download the files now: the link no longer works.',
  fewLeft: '1 view left. |||| %{smart_count} views left.',
};

export default collection;
