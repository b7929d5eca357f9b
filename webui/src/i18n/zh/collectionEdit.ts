import type en from '../en/collectionEdit';
import type { Shape } from '../shape';

const collectionEdit: Shape<typeof en> = {
  heading: '编辑分享的文件',
  items: '文件（%{smart_count}）',
  shows: {
    folder: '此链接展示 %{path} 中的内容。',
    folderStood: '此链接展示创建链接时 %{path} 中的内容。',
    picks: '此链接展示从 %{path} 中选定的内容。',
    picksStood: '此链接展示创建链接时从 %{path} 中选定的内容。',
  },
  upload: '上传文件',
  own: '添加我的文件',
  ownHint: '添加后，文件自己的链接将失效。',
  noOwn: '没有可添加的文件',
  search: '搜索',
  add: '添加（%{smart_count}）',
  text: '撰写 README',
  newText: '重新撰写 README',
  textLabel: '文本',
  textHint: '支持 Markdown，访客首先看到它。',
  replaces: '支持 Markdown，将替换现有的 README。',
  none: '这里没有文件',
  name: '%{name} 的名称',
  up: '上移 %{name}',
  down: '下移 %{name}',
  remove: '移除 %{name}',
  deleteTitle: '删除 %{smart_count} 个文件？',
  deleteBody: '保存时，您移除的文件将被删除。',
  twice: '%{name} 已在列表中',
  noStorage: '没有可用于上传的存储',
  stale: '其他人更改了这些文件。',
  theirs: '采用对方的版本',
  mine: '保留我的版本',
  open: '打开链接',
};

export default collectionEdit;
