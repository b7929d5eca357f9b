import type en from '../en/app';
import type { Shape } from '../shape';

const app: Shape<typeof en> = {
  name: 'Pasteport',
  skipToContent: '跳到正文',
  repository: '源代码',
  announce: '页面：%{title}',
  nav: {
    label: '主导航',
    home: '首页',
    upload: '上传',
    explorer: '文件',
    admin: '管理',
    menu: '菜单',
    closeMenu: '关闭菜单',
  },
  theme: {
    auto: '自动',
    light: '浅色',
    dark: '深色',
    button: '主题：%{mode}，切换到%{next}',
  },
  language: { button: '语言' },
  keys: '键盘快捷键',
  who: {
    admin: '管理员',
    key: '密钥：%{name}',
    usage: '用量',
    notify: '通知',
    device: '应用与离线',
    signOut: '退出登录',
    signedOut: '您已退出登录',
  },
  titles: {
    home: '在线剪贴板',
    upload: '文件上传',
    paste: '查看分享',
    file: '文件预览',
    collection: '分享的文件',
    notFound: '页面未找到',
  },
  lazy: {
    title: '页面加载失败',
    body: '您可能已离线，或已安装新版本。本机上的草稿仍保留。',
    offlineTitle: '离线时无法打开此页面',
    offlineBody: '您似乎已离线，此页面尚未保存在本机。',
    offlineToast: '离线时无法加载“%{page}”',
    back: '返回上一页',
  },
  crash: {
    title: '页面出现问题',
    body: '页面发生意外错误，请重试；若反复出现，请联系管理员。',
  },
};

export default app;
