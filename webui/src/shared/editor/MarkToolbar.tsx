import {
  Bold,
  Code,
  Heading1,
  Heading2,
  Heading3,
  Italic,
  Link as LinkIcon,
  List,
  ListChecks,
  ListOrdered,
  Minus,
  Quote,
  Redo2,
  SquareCode,
  Strikethrough,
  Table,
  Undo2,
  type LucideIcon,
} from 'lucide-react';
import { useT } from '../../i18n';
import type { EditorHandle } from './editor';
import { block, codeBlock, link, prefix, wrap, type Mark } from './marks';
import { Toolbar, type ToolbarProps } from './Toolbar';

/** MarkToolbar is the toolbar of the Markdown mode. */
export default function MarkToolbar({
  editor,
  ...props
}: ToolbarProps & { editor: () => EditorHandle | undefined }) {
  const t = useT();
  const column = t('editor.column');
  const table = `| ${column} 1 | ${column} 2 |\n| --- | --- |\n|  |  |`;
  const tool = (key: string, icon: LucideIcon, mark: Mark) => ({
    key,
    label: t(`editor.${key}`),
    icon,
    run: () => editor()?.apply(mark),
  });
  return (
    <Toolbar
      {...props}
      tools={[
        tool(
          'heading1',
          Heading1,
          prefix(() => '# '),
        ),
        tool(
          'heading2',
          Heading2,
          prefix(() => '## '),
        ),
        tool(
          'heading3',
          Heading3,
          prefix(() => '### '),
        ),
        tool('bold', Bold, wrap('**')),
        tool('italic', Italic, wrap('*')),
        tool('strike', Strikethrough, wrap('~~')),
        tool('link', LinkIcon, link(t('editor.linkText'))),
        tool(
          'bullets',
          List,
          prefix(() => '- '),
        ),
        tool(
          'numbers',
          ListOrdered,
          prefix((line) => `${line + 1}. `),
        ),
        tool(
          'tasks',
          ListChecks,
          prefix(() => '- [ ] '),
        ),
        tool(
          'quote',
          Quote,
          prefix(() => '> '),
        ),
        tool('code', Code, wrap('`')),
        tool('codeBlock', SquareCode, codeBlock),
        tool('table', Table, block(table, [2, column.length + 4])),
        tool('rule', Minus, block('---', [4, 4])),
        { key: 'undo', label: t('editor.undo'), icon: Undo2, run: () => editor()?.undo() },
        { key: 'redo', label: t('editor.redo'), icon: Redo2, run: () => editor()?.redo() },
      ]}
    />
  );
}
