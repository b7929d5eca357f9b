import type en from '../en/shareBox';
import type { Shape } from '../shape';

const shareBox: Shape<typeof en> = {
  title: '分享成功',
  link: '链接',
  copy: '复制链接',
  copyBoth: '复制链接和密码',
  linkAndPassword: '%{link}\n密码：%{password}',
  qr: '二维码',
  open: '打开',
  raw: '原始文本',
  copyRaw: '复制原始链接',
  rawCaution: '原始链接的地址中带有密码，看到链接的人都能读取文本。',
  curl: '在终端中使用',
  native: '分享…',
  another: '新建分享',
  keepEditing: '继续编辑',
  tell: '打开时通知我',
  tellNowhere: '添加通知渠道后才会收到通知：请打开账号菜单，选择“通知”。',
  close: '关闭',
  autoCopied: '链接已复制到剪贴板。',
  recent: '本标签页最近的分享',
  limits: {
    always: '永不过期，不限次数。',
    views: '可打开 %{smart_count} 次。',
    until: '有效期至 %{until}。',
    viewsUntil: '有效期至 %{until}，可打开 %{smart_count} 次。',
    both: '%{first}%{second}',
    password: '有密码保护。',
  },
};

export default shareBox;
