import type en from '../en/pasteEdit';
import type { Shape } from '../shape';

const pasteEdit: Shape<typeof en> = {
  heading: '编辑',
  editor: '分享的文本',
  placeholder: '分享的文本',
  escape: '按 Esc 再按 Tab 可离开编辑器。',
  empty: '内容不能为空',
  tooLarge: '文本大小为 %{size}，最多可分享 %{limit}',
  shortcut: 'Ctrl+S 或 ⌘S',
  kept: '您的文本已保留在此标签页中，再次点击“编辑”即可继续。',
  restored: '已恢复未保存的文本。',
  loading: '正在获取文本',
  conflict: {
    title: '其他人修改了此文本',
    body: '在您打开之后，其他人或其他标签页保存过此文本。内容尚未丢失，请选择要保留的版本。',
    mine: '您的文本',
    theirs: '对方的文本',
    merge: '合并两者',
    mergeHint: '双方修改的位置不同，可以同时保留。保存前您可以先查看结果。',
    noMerge: '双方修改了同一处，无法自动合并。',
    overwrite: '保存我的',
    reload: '采用对方的',
    fork: '将我的作为新文本打开',
    merged: '双方的修改都已在编辑器中，请检查后保存。',
  },
};

export default pasteEdit;
