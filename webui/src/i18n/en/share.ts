const share = {
  form: {
    remark: 'Remark',
    remarkHint: 'Shown as the title of the share',
    slug: 'Custom link',
    slugHint: 'Letters, digits, hyphen and underscore. Empty: a random link',
    slugPrefixHint: 'With several files each one gets the suffix -1, -2 and so on',
    unguessable: 'Unguessable link',
    password: 'Password',
    passwordHint: 'Cannot be shown again later',
    generate: 'Generate',
    expiry: 'Expires',
    expiryAt: 'Expires at',
    maxViews: 'Views',
    maxViewsHint: '0 means unlimited',
    burn: 'Open once',
  },
  expiry: {
    hour: '1 hour',
    day: '1 day',
    week: '7 days',
    month: '30 days',
    never: 'Never',
    custom: 'Date and time',
  },
  errors: {
    remarkLength: '200 characters at most',
    slugRule: 'Letters, digits, hyphen and underscore only',
    slugLength: '50 characters at most',
    slugReserved: 'This link suffix is reserved',
    slugTaken: 'This link suffix is taken, please choose another',
    maxViews: 'Enter a whole number, 0 or more',
    passwordLength: '256 characters at most',
    expiryPast: 'Choose a time in the future',
  },
};

export default share;
