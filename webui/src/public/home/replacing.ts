import type { Language, Translate } from '../../i18n';
import { formatOver } from '../../shared/format';
import { isMarkdown } from '../../shared/preview/kind';
import { confirm, toast } from '../../shared/ui';
// It puts the question.
import '../../shared/useLeaveGuard';
import { contentLimit } from './count';
import { readText } from './readText';

/**
 * importText reads a text file for the editor and asks before it replaces a text. Answers undefined when there
 * is nothing to take over; the reason has been told then.
 */
export async function importText(
  file: File,
  replaces: boolean,
  t: Translate,
  language: Language,
): Promise<{ text: string; markdown: boolean } | undefined> {
  const name = { name: file.name };
  if (file.size > contentLimit) {
    toast.error(t('homeMore.import.tooLarge', { ...name, ...formatOver(file.size, contentLimit, language) }));
    return undefined;
  }
  let content: string | undefined;
  try {
    content = await readText(file);
  } catch {
    toast.error(t('homeMore.import.failed', name));
    return undefined;
  }
  if (content === undefined) {
    toast.error(t('homeMore.import.binary', name));
    return undefined;
  }
  const agreed =
    !replaces ||
    (await confirm({
      title: t('homeMore.import.replaceTitle'),
      body: t('homeMore.import.replaceBody', name),
      confirmLabel: t('homeMore.import.replace'),
      danger: true,
    }));
  if (!agreed) return undefined;
  toast.success(t('homeMore.import.done', name));
  return { text: content.replace(/\r\n?/g, '\n'), markdown: isMarkdown(file.name) };
}

/** askToClear asks whether the text may go. For ten seconds after that, `undo` can bring it back. */
export async function askToClear(undo: () => void, t: Translate): Promise<boolean> {
  const agreed = await confirm({
    title: t('homeMore.clear.title'),
    body: t('homeMore.clear.body'),
    confirmLabel: t('homeMore.clear.confirm'),
    danger: true,
  });
  if (agreed) {
    toast.info(t('homeMore.clear.done'), { lasts: 10_000, action: { label: t('common.undo'), run: undo } });
  }
  return agreed;
}

/** askToLose asks whether a text that this device cannot keep may go. */
export const askToLose = (t: Translate): Promise<boolean> =>
  confirm({
    title: t('homeMore.leave.title'),
    body: t('homeMore.leave.body'),
    confirmLabel: t('homeMore.leave.confirm'),
    danger: true,
  });
