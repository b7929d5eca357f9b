import type en from '../en/homeMore';
import type { Shape } from '../shape';

const homeMore: Shape<typeof en> = {
  import: {
    replaceTitle: '替换文本？',
    replaceBody: '编辑器中的文本将被“%{name}”替换。',
    replace: '替换',
    done: '已导入“%{name}”',
    tooLarge: '“%{name}”大小为 %{size}，最多可导入 %{limit}',
    failed: '无法读取“%{name}”',
    binary: '“%{name}”不是文本文件',
  },
  files: { label: '文件', twice: '“%{name}”已在列表中' },
  clear: {
    title: '清空文本？',
    body: '文本和分享设置都将清空。',
    confirm: '清空',
    done: '文本已清空',
  },
  leave: {
    title: '不保存就离开？',
    body: '文本太大，无法保存在本机，离开后将会丢失。',
    confirm: '离开',
  },
  draft: {
    recent: '最近的草稿',
    restore: '恢复',
    empty: '空',
  },
  announcement: {
    title: '公告',
    never: '不再显示',
    gotIt: '我知道了',
  },
};

export default homeMore;
