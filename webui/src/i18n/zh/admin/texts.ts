import type en from '../../en/admin/texts';
import type { Shape } from '../../shape';

const texts: Shape<typeof en> = {
  search: '搜索链接、标题或内容',
  content: '内容',
  size: '大小',
  copyRaw: '复制原始链接',
  versions: '历史版本',
  clearExpired: '清理过期',
  clearTitle: '删除所有过期文本？',
  clearCount: '有 %{smart_count} 个文本已过期。',
  gone: '已被删除',
  clearBody: '已过期以及次数已用完的文本将被删除，无法撤销。',
  cleared: '已删除 %{smart_count} 个过期文本',
  deleteMany: '删除 %{smart_count} 个文本？',
  deleteBody: '它们的链接会立即失效，无法撤销。',
  deleted: '已删除 %{smart_count} 个文本',
  emptyTitle: '还没有文本',
  emptyBody: '在首页分享的文本会显示在这里。',
  emptyAction: '分享文本',
  preview: '文本“%{name}”',
  edit: '编辑“%{name}”',
  plain: '文本',
  rendered: '渲染',
  view: '显示方式',
  editContent: '编辑内容',
  changed: '其他人更改了此文本，请重新打开以查看最新版本。',
};

export default texts;
