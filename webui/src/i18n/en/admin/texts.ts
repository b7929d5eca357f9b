const texts = {
  search: 'Search link, remark and content',
  content: 'Content',
  size: 'Size',
  copyRaw: 'Copy raw link',
  clearExpired: 'Clear expired',
  clearTitle: 'Delete all expired texts?',
  clearCount:
    '%{smart_count} text is past its expiry now. |||| %{smart_count} texts are past their expiry now.',
  gone: 'It was deleted already',
  clearBody: 'Texts past their expiry and texts whose views are used up are deleted. This cannot be undone.',
  cleared: '%{smart_count} expired text was deleted |||| %{smart_count} expired texts were deleted',
  deleteTitle: 'Delete %{smart_count} text? |||| Delete %{smart_count} texts?',
  deleteBody: 'Their links stop working at once. This cannot be undone.',
  deleted: '%{smart_count} text was deleted |||| %{smart_count} texts were deleted',
  emptyTitle: 'No texts yet',
  emptyBody: 'Texts that are shared on the home page appear here.',
  emptyAction: 'Share a text',
  preview: 'Text “%{name}”',
  edit: 'Edit “%{name}”',
  plain: 'Text',
  rendered: 'Rendered',
  view: 'View',
  editContent: 'Edit the content',
  changed: 'Someone changed this text meanwhile. Close and open it again to see the new version.',
};

export default texts;
