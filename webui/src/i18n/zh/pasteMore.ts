import type en from '../en/pasteMore';
import type { Shape } from '../shape';

const pasteMore: Shape<typeof en> = {
  edit: '编辑',
  versions: '历史版本',
  copied: '已复制',
  notCopied: '复制失败',
  copyRaw: '复制原始链接',
  raw: '打开原始文本',
  print: '打印',
  fork: '复制为新文本',
  remove: '删除',
  delete: {
    title: '删除“%{name}”？',
    body: '文本及其链接将被永久删除。',
    done: '分享已删除',
    failed: '分享未能删除。%{reason}',
    notFound: '它已不在您的列表中。',
  },
};

export default pasteMore;
