const shareEdit = {
  heading: 'Share settings',
  fileTitle: 'Edit info',
  name: 'Name',
  access: 'Access',
  proxied: 'Through this server',
  direct: 'Link to the storage itself',
  remark: 'Remark',
  slug: 'Custom link',
  slugHint: 'With another link, the old one stops working',
  expiry: 'Expires',
  keepUntil: 'Keep: %{until}',
  keepNever: 'Keep: never',
  maxViews: 'Views',
  maxViewsHint: '0 means unlimited. A new limit starts the count anew',
  password: 'Password',
  passwordMode: {
    none: 'No password',
    keep: 'Keep the password',
    set: 'Set a new password',
    remove: 'Remove the password',
  },
  newPassword: 'New password',
  passwordMissing: 'Enter the new password',
  save: 'Save',
  saved: 'The changes were saved',
  discard: {
    title: 'Discard the changes?',
    body: 'What you have changed here is lost.',
    confirm: 'Discard',
  },
};

export default shareEdit;
