import type en from '../en/explorerEdit';
import type { Shape } from '../shape';

const explorerEdit: Shape<typeof en> = {
  title: '文本编辑器',
  tools: '编辑工具',
  text: '%{name} 的文本',
  save: '保存',
  close: '关闭编辑器',
  saved: '已保存 %{name}',
  dirty: '尚未保存',
  clean: '已保存',
  mark: '带字节顺序标记',
  tooLong: '文本超过 10 MB，无法保存，已保留在此设备上。',
  kept: '%{time} 的文本未保存，已保留在此设备上。',
  restore: '恢复',
  discard: '丢弃',
  tool: {
    find: '查找和替换',
    wrap: '自动换行',
    map: '缩略图',
    time: '插入时间',
    upper: '选中内容转为大写',
    lower: '选中内容转为小写',
    large: '占满窗口',
  },
  find: {
    text: '查找',
    by: '替换为',
    previous: '上一处',
    next: '下一处',
    exact: '区分大小写',
    replace: '替换',
    replaceAll: '全部替换',
    none: '未找到',
    at: '第 %{index} 处，共 %{count} 处',
    replaced: '已替换 %{smart_count} 处',
  },
  lost: {
    title: '%{name} 无法表示全部字符',
    body: '以下字符无法写入：%{characters}。可改用 UTF-8 保存。',
    confirm: '保存为 UTF-8',
  },
  leave: {
    title: '不保存就离开？',
    body: '您对此文件的修改尚未保存。',
    confirm: '离开',
  },
  conflict: {
    title: '文件已被修改',
    body: '打开此文件之后，已有人保存了新的版本。不同的行已标出。',
    merge: '合并两者',
    mergeHint: '两处修改互不重叠，可以合并。',
    noMerge: '两处修改位于同一位置，无法自动合并。',
    overwrite: '用我的版本覆盖',
    reload: '采用对方的版本',
    copy: '将我的另存为副本',
    theirs: '文件当前内容',
    mine: '我的文本',
    differs: '不同：',
  },
};

export default explorerEdit;
