const common = {
  confirm: 'Confirm',
  cancel: 'Cancel',
  close: 'Close',
  back: 'Back',
  retry: 'Try again',
  loading: 'Loading',
  unknown: 'Unknown',
  optional: 'optional',
  delete: 'Delete',
  copied: 'Copied',
  copyFailed: 'Copying is not possible here. The text is selected: press Ctrl+C or ⌘C.',
  copyDetails: 'Copy details',
  undo: 'Undo',
  requestId: 'Request id: %{id}',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  notifications: 'Notifications',
  unlimited: 'Unlimited',
  usedUp: 'Used up',
  gate: {
    title: 'Sign in to continue',
    signedOut: {
      text: 'Sharing a text needs an administrator or an API key with the text permission.',
      upload: 'Uploading files needs an administrator or an API key with the file permission.',
      mount: 'Browsing mounts needs an administrator or an API key with a mount permission.',
      admin: 'This page needs an administrator.',
    },
    noPermission: 'No permission for this feature. Ask the administrator.',
    action: 'Sign in',
  },
};

export default common;
