import { hasMessage, type Translate } from '../../i18n';

/** problemText says why a message has not arrived; `detail` is what the receiver said. */
export function problemText(problem: string, status: number, t: Translate, detail = ''): string {
  const key = `channels.problems.${problem}`;
  const text = hasMessage(key) ? t(key, { status }) : problem;
  return detail ? t('channels.detail', { text, detail }) : text;
}
