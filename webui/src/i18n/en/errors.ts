// "code" holds texts for machine codes whose meaning is complete in itself; for all others the server's own
// message says more. "http" holds the situations of spec §8.
const errors = {
  title: 'Something went wrong',
  several: 'There’s %{smart_count} problem |||| There are %{smart_count} problems',
  named: '%{label}: %{reason}',
  code: {
    slug_taken: 'This link is taken. Choose another one.',
    slug_reserved: 'This link is reserved',
    slug_invalid: 'Use only letters, digits, hyphens and underscores, up to 50 characters',
    key_required: 'Sign in to open this share',
    password_required: 'Password required',
    password_wrong: 'Incorrect password',
    expired: 'This share has expired',
    used_up: 'This share has reached its view limit',
    content_too_large: 'The text is too large; at most 10 MB can be shared',
    policy_unavailable: 'Permissions can’t be checked right now. Try again later.',
    storage_unavailable: 'The storage isn’t responding. Try again later.',
  },
  http: {
    requestFailed: 'Request failed',
    adminExpired: 'Your admin session has expired. Sign in again.',
    restored: 'The backup was restored, which ended your session. Sign in again.',
    keyInvalid: 'The API key is invalid or has expired',
    unauthorised: 'You’re not signed in. Sign in and try again.',
    other: 'HTTP error %{status}: %{text}',
    aborted: 'The request was canceled or timed out',
    timeout: 'The server took too long to respond',
    decided: '%{text} (decision %{id})',
    queued: 'Saved on this device; it will be sent when you’re back online.',
    showQueue: 'Show',
    later: 'You’re offline. Passwords aren’t stored, so try again when you’re back online.',
    network: 'Can’t reach the server. Check your connection.',
    rateLimited:
      'Too many attempts. Try again in %{smart_count} second. |||| Too many attempts. Try again in %{smart_count} seconds.',
    rateLimitedSoon: 'Too many attempts. Try again in a moment.',
  },
};

export default errors;
