const revisions = {
  title: '“%{name}”的历史版本',
  list: '版本列表',
  current: '当前版本',
  by: '编辑者：%{who}',
  admin: '管理员',
  someone: '已删除的密钥',
  changes: '从此版本到当前版本的更改',
  added: '新增：',
  removed: '删除：',
  same: '此版本与当前版本内容相同。',
  restore: '恢复此版本',
  restored: '已恢复所选版本',
  copy: '复制文本',
  download: '下载',
  text: {
    empty: '还没有历史版本。编辑文本后，编辑前的版本会显示在这里。',
    off: '此文本不保留历史版本。',
    changed: '文本刚刚被更改，请重新查看各版本后再恢复。',
    keep: '保留此文本的历史版本',
    drop: '此文本的所有历史版本将被永久删除，之后的编辑也不再保留旧版本。',
  },
  file: {
    empty: '还没有历史版本。编辑文件后，编辑前的版本会显示在这里。',
    off: '此文件不保留历史版本。',
    changed: '文件刚刚被更改，请重新查看各版本后再恢复。',
    keep: '保留此文件的历史版本',
    drop: '此文件的所有历史版本将被永久删除，之后的编辑也不再保留旧版本。',
    large: '此文件超过 10 MB，下次编辑时不会保留当前版本。',
  },
  drop: {
    title: '删除历史版本？',
    confirm: '删除历史版本',
  },
};

export default revisions;
