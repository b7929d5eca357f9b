import type { Language, Translate } from '../../i18n';
import { formatSize } from '../../shared/format';
import { confirm, toast } from '../../shared/ui';
import { contentLimit } from './count';
import { readText } from './readText';

const isMarkdown = /\.(md|markdown|mdown|mkd|mdwn|mdtxt|mdtext|rmd)$/i;

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
    const size = formatSize(file.size, language);
    toast.error(t('home.import.tooLarge', { ...name, size, limit: formatSize(contentLimit, language) }));
    return undefined;
  }
  let content: string | undefined;
  try {
    content = await readText(file);
  } catch {
    toast.error(t('home.import.failed', name));
    return undefined;
  }
  if (content === undefined) {
    toast.error(t('home.import.binary', name));
    return undefined;
  }
  const agreed =
    !replaces ||
    (await confirm({
      title: t('home.import.replaceTitle'),
      body: t('home.import.replaceBody', name),
      confirmLabel: t('home.import.replace'),
      danger: true,
    }));
  return agreed ? { text: content.replace(/\r\n?/g, '\n'), markdown: isMarkdown.test(file.name) } : undefined;
}
