const shareGate = {
  copy: 'You’re offline. This is the copy from %{time}, kept on this device.',
  password: {
    title: 'This share is protected',
    body: 'Enter the password you were given with the link.',
    label: 'Password',
    submit: 'Open',
    missing: 'Enter the password',
    wrong: 'Incorrect password, please try again',
    wait: 'Too many attempts. Try again in %{smart_count} second. |||| Too many attempts. Try again in %{smart_count} seconds.',
    last: 'This is the last view. The link stops working afterwards.',
  },
  lastView: {
    title: 'This can only be opened once',
    body: 'Once you open it, the link stops working for everyone. Make sure you have time to read or save it.',
    open: 'Show it now',
  },
  gone: {
    title: 'This share is no longer available',
    body: 'It has expired or reached its view limit.',
    expired: 'It has expired.',
    usedUp: 'It has reached its view limit.',
  },
  missing: {
    title: 'Share not found',
    body: 'It doesn’t exist or was deleted. Check the link.',
  },
  home: 'Back to home',
};

export default shareGate;
