// "code" holds texts for machine codes whose meaning is complete in itself; for all others the server's own
// message says more. "http" holds the situations of spec §8.
const errors = {
  title: 'This did not work',
  several: 'There is %{smart_count} problem |||| There are %{smart_count} problems',
  code: {
    slug_taken: 'This link suffix is taken, please choose another',
    slug_reserved: 'This link suffix is reserved',
    slug_invalid: 'A link suffix has letters, digits, hyphen and underscore only, 50 characters at most',
    password_required: 'A password is needed',
    password_wrong: 'Incorrect password',
    expired: 'This share has expired',
    used_up: 'This share has reached its view limit',
    content_too_large: 'The text is too large; at most 10 MB can be shared',
    policy_unavailable: 'The server cannot check permissions right now. Please try again later',
    storage_unavailable: 'The storage does not answer right now. Please try again later',
  },
  http: {
    requestFailed: 'Request failed',
    adminExpired: 'Your admin session has expired, please sign in again',
    keyInvalid: 'The API key is invalid or has expired',
    unauthorised: 'Not authorised; sign in and try again',
    other: 'HTTP error %{status}: %{text}',
    aborted: 'The request was cancelled or timed out',
    timeout: 'The server took too long to answer',
    decided: '%{text} (decision %{id})',
    queued: 'You are offline. This is kept on this device and sent when the network is back.',
    showQueue: 'Show',
    later: 'You are offline. Passwords are not kept: try again when the network is back.',
    network: 'Network connection failed, check your settings',
    rateLimited:
      'Too many tries. Please wait %{smart_count} second. |||| Too many tries. Please wait %{smart_count} seconds.',
    rateLimitedSoon: 'Too many tries. Please wait a moment.',
  },
};

export default errors;
