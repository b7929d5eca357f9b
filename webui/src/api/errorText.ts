import { hasMessage, type Translate } from '../i18n';
import { ApiError } from './errors';

/** errorText says what went wrong: our text for a known machine code, else the server's, else one by status (§8). */
export function errorText(error: unknown, t: Translate): string {
  if (!(error instanceof ApiError)) return t('errors.http.requestFailed');
  const text = plainText(error, t);
  // A rule of the site has decided: whoever asks about it names the decision.
  if (error.code !== 'policy_denied' || !error.decisionId) return text;
  return t('errors.http.decided', { text, id: error.decisionId });
}

function plainText(error: ApiError, t: Translate): string {
  if (error.failure) return t(`errors.http.${error.failure}`);
  if (error.status === 429) {
    return error.retryAfter
      ? t('errors.http.rateLimited', error.retryAfter)
      : t('errors.http.rateLimitedSoon');
  }
  const told = toldText({ error: error.code, message: error.message }, t);
  if (told) return told;
  if (error.status === 401) return t('errors.http.unauthorised');
  if (error.status === 409) return t('errors.code.slug_taken');
  if (error.status) return t('errors.http.other', { status: error.status, text: statusText(error.status) });
  return t('errors.http.requestFailed');
}

/** toldText is what an answer of the server says went wrong: our text for a known machine code, else its own. */
export const toldText = (told: { error: string; message: string }, t: Translate): string =>
  told.error && hasMessage(`errors.code.${told.error}`)
    ? t(`errors.code.${told.error}`)
    : serverWords(told.message);

/** serverWords is a message of the server without the Chinese words that scripts look for in the English ones. */
export const serverWords = (message: string): string =>
  message.replace(
    /^[\u4e00-\u9fff]+ \((.)(.*?)\)(?=:|$)/,
    (_, first: string, rest: string) => first.toUpperCase() + rest,
  );

// HTTP/2 carries no reason phrase, so the known codes (§9) are named here.
const phrases: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

const statusText = (status: number) => phrases[status] ?? '';
