/** ways are how a notification channel is reached, each with an address as an example. */
export const ways = [
  { type: 'webhook', example: 'https://example.com/hook' },
  { type: 'mail', example: 'smtp://mail.example.com:587' },
  { type: 'ntfy', example: 'https://ntfy.sh/my-topic' },
  { type: 'gotify', example: 'https://gotify.example.com' },
] as const;
