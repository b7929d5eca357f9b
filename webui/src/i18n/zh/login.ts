import type en from '../en/login';
import type { Shape } from '../shape';

const login: Shape<typeof en> = {
  adminTitle: '管理面板',
  about: '用链接分享文本和文件。',
  title: '登录',
  modes: '登录方式',
  byPassword: '管理员',
  byKey: 'API 密钥',
  username: '用户名',
  password: '密码',
  key: 'API 密钥',
  submit: '登录',
  missing: {
    username: '请输入用户名',
    password: '请输入密码',
    key: '请输入 API 密钥',
  },
  invalid: '用户名或密码错误',
  noToken: '登录响应中缺少token',
  noPermissions: '响应中缺少权限信息',
  totp: '两步验证码',
  totpHint: '应用显示的六位数字，或恢复码。',
  totpWrong: '验证码错误或已使用',
  noRights: '该 API 密钥没有使用网页界面的权限',
};

export default login;
