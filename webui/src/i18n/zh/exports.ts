import type en from '../en/exports';
import type { Shape } from '../shape';

const exports: Shape<typeof en> = {
  copyMarkdown: '复制为 Markdown',
  copyHtml: '复制为 HTML',
  copyPlain: '复制为纯文本',
  markdown: '导出为 Markdown',
  html: '导出为 HTML',
  pdf: '打印或导出为 PDF',
  open: '导出',
  menu: '复制为与导出',
  copied: '已复制',
  notCopied: '此处无法复制',
  failed: '无法导出文本',
  images: '%{smart_count} 张图片无法读取，已替换为链接',
  empty: '还没有可导出的文本',
};

export default exports;
