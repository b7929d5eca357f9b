import type en from '../../en/admin/account';
import type { Shape } from '../../shape';

const account: Shape<typeof en> = {
  change: '更改用户名或密码',
  newUsername: '新用户名',
  usernameHint: '留空则保持不变。',
  currentPassword: '当前密码',
  newPassword: '新密码',
  passwordHint: '留空则保持不变。',
  repeat: '再次输入新密码',
  needsOne: '请输入新用户名或新密码，也可以两者都填',
  samePassword: '新密码不能与当前密码相同',
  notEqual: '两次输入的密码不一致',
  strength: {
    weak: '较弱：请至少使用 12 个字符',
    fair: '一般：再加几个字符会更安全',
    strong: '强',
  },
  verifyFailed: '验证失败',
  done: '账号已更新',
  countdown: '%{smart_count} 秒后将退出登录。',
  now: '立即退出',
  stay: '留在此页',
  stayed: '会话已结束，请重新登录。',
  sessions: '会话',
  sessionsHint: '所有以管理员身份登录的会话。更改密码会结束全部会话。',
  current: '当前会话',
  browser: '浏览器',
  onSystem: '%{system} 上的 %{browser}',
  address: '地址',
  since: '登录时间',
  until: '过期时间',
  end: '退出',
  endTitle: '退出此会话？',
  endBody: '该浏览器需要重新登录。',
  ended: '会话已退出',
};

export default account;
