import type en from '../../en/admin/files';
import type { Shape } from '../../shape';

const files: Shape<typeof en> = {
  search: '搜索名称、链接或标题',
  name: '名称',
  size: '大小',
  type: '类型',
  storage: '存储',
  provider: '服务商',
  path: '存储中的路径',
  mounted: '挂载位置',
  etag: 'ETag',
  replace: '替换此文件…',
  copyDirect: '复制直链',
  copiedDirect: '直链已复制',
  noDirect: '该存储不提供直链。',
  download: '下载',
  detail: '文件“%{name}”',
  edit: '编辑“%{name}”',
  basic: '文件',
  statistics: '访问',
  storageFacts: '存储',
  mode: {
    label: '删除时',
    both: '同时删除文件',
    record_only: '保留文件',
  },
  deleteMany: '删除 %{smart_count} 个文件？',
  willRecord: '链接会立即失效，文件本身保留在存储中。',
  willBoth: '链接会立即失效，文件也会从存储中删除。',
  willMounted: '其中 %{smart_count} 个位于挂载中，也会从挂载中消失。',
  noUndo: '此操作无法撤销。',
  more: '以及另外 %{smart_count} 个',
  deleted: '已删除 %{smart_count} 个文件',
  emptyTitle: '还没有文件',
  emptyBody: '在上传页面分享的文件会显示在这里。',
  emptyAction: '上传文件',
};

export default files;
