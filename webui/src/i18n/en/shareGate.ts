const shareGate = {
  copy: 'You are offline. This is the copy of this device, from',
  password: {
    title: 'This share is protected',
    body: 'Enter the password you were given with the link.',
    label: 'Password',
    submit: 'Open',
    missing: 'Enter the password',
    wrong: 'Incorrect password, please try again',
    wait: 'Too many tries. You can try again in %{smart_count} second. |||| Too many tries. You can try again in %{smart_count} seconds.',
    last: 'It can be opened once more. After that the link no longer works.',
  },
  lastView: {
    title: 'This can be opened once',
    body: 'As soon as you open it, the link stops working for everybody. Make sure you have the time to read or save it.',
    open: 'Show it now',
  },
  gone: {
    title: 'This share is no longer available',
    body: 'It has expired or reached its view limit.',
    expired: 'Its time has run out.',
    usedUp: 'It has been opened as often as it was allowed to.',
  },
  missing: {
    title: 'Nothing here',
    body: 'This share does not exist or was deleted. Check the link for typing errors.',
  },
  home: 'Back to home',
};

export default shareGate;
