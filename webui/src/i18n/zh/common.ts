import type en from '../en/common';
import type { Shape } from '../shape';

const common: Shape<typeof en> = {
  confirm: '确定',
  cancel: '取消',
  close: '关闭',
  back: '返回',
  retry: '重试',
  wrap: '自动换行',
  loading: '加载中',
  unknown: '未知',
  optional: '可选',
  delete: '删除',
  copied: '已复制',
  copyFailed: '此处无法自动复制。文本已选中，请按 Ctrl+C 或 ⌘C。',
  copyDetails: '复制详情',
  undo: '撤销',
  requestId: '请求编号：%{id}',
  decisionId: '决策编号：%{id}',
  showPassword: '显示密码',
  hidePassword: '隐藏密码',
  notifications: '通知',
  unlimited: '不限',
  usedUp: '已用完',
  kinds: {
    image: '图片',
    video: '视频',
    audio: '音频',
    pdf: '文档',
    office: '文档',
    markdown: '文本',
    html: '网页',
    code: '代码',
    text: '文本',
    archive: '压缩包',
    other: '文件',
  },
  gate: {
    title: '请先登录',
    signedOut: {
      text: '请以管理员身份，或使用有文本权限的 API 密钥登录。',
      upload: '请以管理员身份，或使用有文件权限的 API 密钥登录。',
      mount: '请以管理员身份，或使用有浏览权限的 API 密钥登录。',
      admin: '仅管理员可以打开此页面。',
      share: '此分享需要登录后才能打开。',
    },
    noPermission: '当前密钥没有此权限，请联系管理员。',
    action: '登录',
  },
};

export default common;
