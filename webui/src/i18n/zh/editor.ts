import type en from '../en/editor';
import type { Shape } from '../shape';

const editor: Shape<typeof en> = {
  heading1: '一级标题',
  heading2: '二级标题',
  heading3: '三级标题',
  bold: '粗体',
  italic: '斜体',
  strike: '删除线',
  link: '链接',
  linkText: '文字',
  bullets: '无序列表',
  numbers: '有序列表',
  tasks: '任务列表',
  quote: '引用',
  code: '行内代码',
  codeBlock: '代码块',
  table: '表格',
  column: '列',
  rule: '分隔线',
  undo: '撤销',
  redo: '重做',
};

export default editor;
