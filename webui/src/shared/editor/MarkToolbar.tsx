import {
  ArrowDownFromLine,
  ArrowUpFromLine,
  Bold,
  CircleQuestionMark,
  Code,
  Heading1,
  Heading2,
  Heading3,
  Italic,
  Link as LinkIcon,
  List,
  ListChecks,
  ListIndentDecrease,
  ListIndentIncrease,
  ListOrdered,
  ListTree,
  Maximize2,
  Minimize2,
  Minus,
  Paperclip,
  Quote,
  Redo2,
  Smile,
  SquareCode,
  Strikethrough,
  Table,
  Undo2,
  type LucideIcon,
} from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { useT } from '../../i18n';
import type { EditorHandle } from './editor';
import { block, keyedMarks, keysText, lineAfter, lineBefore, link, put, type Mark } from './marks';
import { Toolbar, type Tool, type ToolbarProps } from './Toolbar';

const EmojiDialog = lazy(() => import('./EmojiDialog'));
const HelpDialog = lazy(() => import('./HelpDialog'));
const OutlineDialog = lazy(() => import('./OutlineDialog'));

interface MarkToolbarProps extends ToolbarProps {
  editor: () => EditorHandle | undefined;
  /** text is asked for when the outline is opened. */
  text: () => string;
  /** onAttach shares a chosen file; without it, `attachProblem` says why files cannot be attached. */
  onAttach?: (files: File[]) => void;
  attachProblem?: string;
  /** full says whether the editor fills the window; onFull changes that. */
  full?: boolean;
  onFull?: () => void;
}

/** MarkToolbar is the toolbar of the Markdown modes. */
export default function MarkToolbar({
  editor,
  text,
  onAttach,
  attachProblem,
  full = false,
  onFull,
  ...props
}: MarkToolbarProps) {
  const t = useT();
  const [dialog, setDialog] = useState<'emoji' | 'outline' | 'help'>();
  const picker = useRef<HTMLInputElement>(null);
  const column = t('editor.column');
  const table = `| ${column} 1 | ${column} 2 |\n| --- | --- |\n|  |  |`;

  const tool = (key: string, icon: LucideIcon, mark: Mark, keys = ''): Tool => ({
    key,
    label: keys
      ? t('editor.withKeys', { name: t(`editor.${key}`), keys: keysText(keys) })
      : t(`editor.${key}`),
    icon,
    run: () => editor()?.apply(mark),
  });
  const keyed = (key: string, icon: LucideIcon): Tool[] => {
    const known = keyedMarks[key];
    return known ? [tool(key, icon, known.mark, known.keys)] : [];
  };
  const plain = (key: string, icon: LucideIcon, run: () => void, keys = ''): Tool => ({
    ...tool(key, icon, put(''), keys),
    run,
  });
  const group = (...tools: Tool[]): Tool[] => tools.map((entry, at) => ({ ...entry, starts: at === 0 }));
  const attachRefused = !onAttach;

  return (
    <>
      <Toolbar
        {...props}
        tools={[
          plain('emoji', Smile, () => setDialog('emoji')),
          ...group(
            ...keyed('heading1', Heading1),
            ...keyed('heading2', Heading2),
            ...keyed('heading3', Heading3),
          ),
          ...group(
            ...keyed('bold', Bold),
            ...keyed('italic', Italic),
            ...keyed('strike', Strikethrough),
            tool('link', LinkIcon, link(t('editor.linkText'))),
          ),
          ...group(
            ...keyed('bullets', List),
            ...keyed('numbers', ListOrdered),
            ...keyed('tasks', ListChecks),
            ...keyed('outdent', ListIndentDecrease),
            ...keyed('indent', ListIndentIncrease),
          ),
          ...group(
            ...keyed('quote', Quote),
            tool('rule', Minus, block('---', [4, 4])),
            ...keyed('codeBlock', SquareCode),
            ...keyed('code', Code),
            tool('lineBefore', ArrowUpFromLine, lineBefore),
            tool('lineAfter', ArrowDownFromLine, lineAfter),
          ),
          ...group(
            ...(onAttach || attachProblem
              ? [
                  {
                    ...plain('attach', Paperclip, () => picker.current?.click()),
                    ...(attachRefused && {
                      refused: true,
                      label: t('editor.attachRefused', { reason: attachProblem ?? '' }),
                    }),
                  },
                ]
              : []),
            tool('table', Table, block(table, [2, column.length + 4])),
          ),
          ...group(
            plain('undo', Undo2, () => editor()?.undo(), 'Mod-z'),
            plain('redo', Redo2, () => editor()?.redo(), 'Mod-Shift-z'),
          ),
          ...group(
            plain('outline', ListTree, () => setDialog('outline')),
            ...(onFull
              ? [{ ...plain(full ? 'smaller' : 'full', full ? Minimize2 : Maximize2, onFull), pressed: full }]
              : []),
            {
              ...plain('undo', CircleQuestionMark, () => setDialog('help')),
              key: 'help',
              label: t('editor.help.label'),
            },
          ),
        ]}
      />
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          event.target.value = '';
          if (files.length > 0) onAttach?.(files);
        }}
      />
      <Suspense fallback={null}>
        {dialog === 'emoji' && (
          <EmojiDialog
            onChoose={(sign) => {
              setDialog(undefined);
              requestAnimationFrame(() => editor()?.apply(put(sign)));
            }}
            onClose={() => setDialog(undefined)}
          />
        )}
        {dialog === 'outline' && (
          <OutlineDialog
            text={text()}
            onChoose={(position) => {
              setDialog(undefined);
              requestAnimationFrame(() => editor()?.goTo(position));
            }}
            onClose={() => setDialog(undefined)}
          />
        )}
        {dialog === 'help' && <HelpDialog onClose={() => setDialog(undefined)} />}
      </Suspense>
    </>
  );
}
