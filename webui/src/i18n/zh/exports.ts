import type en from '../en/exports';
import type { Shape } from '../shape';

const exports: Shape<typeof en> = {
  copyMarkdown: '复制为 Markdown',
  copyHtml: '复制为 HTML',
  copyPlain: '复制为纯文本',
  markdown: '导出为 Markdown',
  html: '导出为 HTML',
  word: '导出为 Word',
  pngLight: '导出为 PNG（浅色）',
  pngDark: '导出为 PNG（深色）',
  busy: '正在准备导出',
  tooLong: '文本太长，无法导出为一张图片，请导出为 HTML 或 PDF。',
  pdf: '打印或导出为 PDF',
  open: '导出',
  menu: '复制与导出',
  copied: '已复制',
  notCopied: '复制失败',
  failed: '无法导出文本',
  images: '%{smart_count} 张图片无法读取，已替换为链接',
  empty: '还没有可导出的文本',
  raw: {
    title: '把密码放进链接？',
    body: '原始链接的地址中包含密码。看到链接的任何人都能阅读文本，每次打开都会消耗一次查看次数。',
    confirm: '使用该链接',
  },
};

export default exports;
