import type en from '../en/shareGate';
import type { Shape } from '../shape';

const shareGate: Shape<typeof en> = {
  copy: '您已离线，以下是 %{time} 保存在本机的副本。',
  password: {
    title: '此分享受密码保护',
    body: '请输入随链接一起收到的密码。',
    label: '密码',
    submit: '打开',
    missing: '请输入密码',
    wrong: '密码错误，请重试',
    wait: '尝试次数过多，请在 %{smart_count} 秒后重试。',
    last: '这是最后一次查看，之后链接将失效。',
  },
  lastView: {
    title: '此内容只能打开一次',
    body: '打开后，此链接对所有人立即失效。请确认现在有时间阅读或保存。',
    open: '立即查看',
  },
  gone: {
    title: '此分享已不可用',
    body: '此分享已过期或达到查看次数上限。',
    expired: '此分享已过期。',
    usedUp: '此分享已达到查看次数上限。',
  },
  missing: {
    title: '分享不存在',
    body: '此分享不存在或已被删除。请检查链接是否有误。',
  },
  home: '返回首页',
};

export default shareGate;
