import type en from '../en/shareEdit';
import type { Shape } from '../shape';

const shareEdit: Shape<typeof en> = {
  heading: '分享设置',
  fileTitle: '编辑信息',
  name: '名称',
  access: '访问方式',
  proxied: '经由本服务器',
  direct: '直接使用存储的链接',
  remark: '备注',
  slug: '自定义链接',
  slugHint: '更换后，旧链接将失效',
  expiry: '过期时间',
  keepUntil: '保持不变：%{until}',
  keepNever: '保持不变：永不过期',
  maxViews: '查看次数',
  maxViewsHint: '0 表示不限。设置新的次数后重新计数',
  password: '密码',
  passwordMode: {
    none: '无密码',
    keep: '保留原密码',
    set: '设置新密码',
    remove: '移除密码',
  },
  newPassword: '新密码',
  passwordMissing: '请输入新密码',
  save: '保存',
  saved: '更改已保存',
  discard: {
    title: '放弃更改？',
    body: '您在此处所做的更改将丢失。',
    confirm: '放弃',
  },
};

export default shareEdit;
