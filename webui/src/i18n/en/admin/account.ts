const account = {
  change: 'Change user name or password',
  newUsername: 'New user name',
  usernameHint: 'Empty keeps the present one',
  currentPassword: 'Current password',
  newPassword: 'New password',
  passwordHint: 'Empty keeps the present one',
  repeat: 'Repeat the new password',
  needsOne: 'Enter a new user name, a new password, or both',
  samePassword: 'The new password must differ from the current one',
  notEqual: 'The two passwords differ',
  strength: {
    weak: 'Weak: use at least 12 characters',
    fair: 'Fair: a few more characters or words make it strong',
    strong: 'Strong',
  },
  done: 'The account was changed.',
  countdown:
    'You are signed out in %{smart_count} second. |||| You are signed out in %{smart_count} seconds.',
  now: 'Sign out now',
  sessions: 'Sessions',
  sessionsHint: 'Everybody who is signed in as administrator. Changing the password ends all of them.',
  current: 'This session',
  browser: 'Browser',
  address: 'Address',
  since: 'Since',
  until: 'Until',
  end: 'End',
  endTitle: 'End this session?',
  endBody: 'Whoever uses it has to sign in again.',
  ended: 'The session was ended',
};

export default account;
