import type en from '../en/errors';
import type { Shape } from '../shape';

const errors: Shape<typeof en> = {
  title: '出错了',
  several: '有 %{smart_count} 处问题',
  named: '%{label}：%{reason}',
  code: {
    slug_taken: '此链接已被占用，请换一个',
    slug_reserved: '此链接为系统保留',
    slug_invalid: '只能包含字母、数字、连字符和下划线，最多 50 个字符',
    key_required: '登录后才能打开此分享',
    password_required: '需要输入密码',
    password_wrong: '密码错误',
    expired: '此分享已过期',
    used_up: '此分享已达到查看次数上限',
    content_too_large: '内容过大，最多可分享 10 MB',
    policy_unavailable: '服务器暂时无法检查权限，请稍后重试',
    storage_unavailable: '存储暂时没有响应，请稍后重试',
  },
  http: {
    requestFailed: '请求失败',
    adminExpired: '管理员会话已过期，请重新登录',
    restored: '备份已恢复，原来的登录已失效，请重新登录',
    keyInvalid: 'API密钥无效或已过期',
    unauthorised: '未授权访问，请登录后重试',
    other: 'HTTP错误 %{status}: %{text}',
    aborted: '请求被取消或超时',
    timeout: '请求超时，服务器响应时间过长',
    decided: '%{text}（决策编号 %{id}）',
    queued: '内容已保存在本机，恢复联网后自动发送。',
    showQueue: '查看',
    later: '您已离线。密码不会保存，请在网络恢复后重试。',
    network: '网络连接失败，请检查网络设置',
    rateLimited: '尝试次数过多，请等待 %{smart_count} 秒。',
    rateLimitedSoon: '尝试次数过多，请稍候再试。',
  },
};

export default errors;
