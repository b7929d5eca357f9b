import type en from '../en/login';
import type { Shape } from '../shape';

const login: Shape<typeof en> = {
  adminTitle: '管理面板',
  userTitle: '用户面板',
  title: '登录',
  modes: '登录方式',
  byPassword: '管理员',
  byKey: 'API 密钥',
  username: '用户名',
  password: '密码',
  key: 'API 密钥',
  submit: '登录',
  missing: '请输入用户名和密码',
  missingKey: '请输入 API 密钥',
  invalid: '用户名或密码错误',
  noToken: '登录响应中缺少token',
  noPermissions: '响应中缺少权限信息',
  noRights: '该 API 密钥没有使用网页界面的权限',
  signedIn: {
    admin: '您已以管理员身份登录。',
    key: '您已使用 API 密钥“%{name}”登录。',
    may: '权限',
    path: '密钥所属目录',
    share: '分享文本',
    upload: '上传文件',
  },
  permissions: {
    TEXT: '分享文本',
    FILE_SHARE: '分享文件',
    MOUNT_VIEW: '浏览挂载',
    MOUNT_UPLOAD: '上传到挂载',
    MOUNT_COPY: '在挂载中复制',
    MOUNT_RENAME: '在挂载中重命名',
    MOUNT_DELETE: '在挂载中删除',
    WEBDAV_READ: '通过 WebDAV 读取',
    WEBDAV_MANAGE: '通过 WebDAV 写入',
    all: '全部',
  },
};

export default login;
