import {
  ClipboardCopy,
  FileCode,
  FileDown,
  FileImage,
  FileText,
  FileType,
  FileType2,
  Printer,
} from 'lucide-react';
import { useT } from '../../i18n';
import { Button, Menu, toast, type MenuItem } from '../ui';
import { closeToast } from '../ui/toasts';
import type * as Exports from './exports';
import type { Exported } from './exports';

interface ExportMenuProps {
  /** source answers what is exported, when it is. */
  source: () => Exported;
  /** quiet is the look inside a toolbar. */
  quiet?: boolean;
  className?: string;
}

/** ExportMenu copies a text in other forms and saves it as a file. What does the work is fetched on a click. */
export default function ExportMenu({ source, quiet = false, className }: ExportMenuProps) {
  const t = useT();

  /** Runs what may take its time, with a message that can stop it. */
  async function runLong(
    act: (module: typeof Exports, text: Exported, signal: AbortSignal) => Promise<number>,
  ) {
    const stop = new AbortController();
    const notice = toast.info(t('exports.busy'), {
      lasts: 10 * 60_000,
      action: { label: t('common.cancel'), run: () => stop.abort() },
    });
    await run((does, text) => act(does, text, stop.signal), stop);
    closeToast(notice);
  }

  async function run(
    act: (module: typeof Exports, text: Exported) => Promise<boolean | number>,
    stop?: AbortController,
  ) {
    const text = source();
    if (text.text.trim() === '') {
      toast.info(t('exports.empty'));
      return;
    }
    try {
      const result = await act(await import('./exports'), text);
      if (stop?.signal.aborted) return;
      if (result === true) toast.success(t('exports.copied'));
      else if (result === false) toast.warning(t('exports.notCopied'));
      else if (result > 0) toast.warning(t('exports.images', result));
    } catch (error) {
      if (stop?.signal.aborted) return;
      const isLong = error instanceof Error && error.name === 'TooLong';
      toast.error(t(isLong ? 'exports.tooLong' : 'exports.failed'));
    }
  }

  const icon = { size: 18, 'aria-hidden': true } as const;
  const items: MenuItem[] = [
    {
      label: t('exports.copyMarkdown'),
      icon: <ClipboardCopy {...icon} />,
      run: () => void run((does, text) => does.copySource(text)),
    },
    {
      label: t('exports.copyHtml'),
      icon: <FileCode {...icon} />,
      run: () => void run((does, text) => does.copyHtml(text)),
    },
    {
      label: t('exports.copyPlain'),
      icon: <FileText {...icon} />,
      run: () => void run((does, text) => does.copyPlain(text)),
    },
    {
      label: t('exports.markdown'),
      apart: true,
      icon: <FileDown {...icon} />,
      run: () => void run((does, text) => does.saveMarkdown(text)),
    },
    {
      label: t('exports.html'),
      icon: <FileType {...icon} />,
      run: () => void run((does, text) => does.saveHtml(text)),
    },
    {
      label: t('exports.word'),
      icon: <FileType2 {...icon} />,
      run: () => void runLong((does, text, signal) => does.saveWord(text, signal)),
    },
    {
      label: t('exports.pngLight'),
      icon: <FileImage {...icon} />,
      run: () => void runLong((does, text, signal) => does.savePng(text, 'light', signal)),
    },
    {
      label: t('exports.pngDark'),
      icon: <FileImage {...icon} />,
      run: () => void runLong((does, text, signal) => does.savePng(text, 'dark', signal)),
    },
    {
      label: t('exports.pdf'),
      apart: true,
      asks: true,
      icon: <Printer {...icon} />,
      run: () => void run((does, text) => does.print(text)),
    },
  ];
  return (
    <Menu
      label={t('exports.menu')}
      items={items}
      button={(attributes) => (
        <Button
          {...attributes}
          variant={quiet ? 'quiet' : 'plain'}
          className={className}
          title={t('exports.menu')}
          icon={<FileDown {...icon} />}
        >
          {t('exports.open')}
        </Button>
      )}
    />
  );
}
