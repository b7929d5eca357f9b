import type en from '../en/share';
import type { Shape } from '../shape';

const share: Shape<typeof en> = {
  form: {
    remark: '标题',
    remarkHint: '访客会在分享上方看到。',
    slug: '自定义链接',
    slugHint: '字母、数字、连字符和下划线；留空则随机生成。',
    slugPrefixHint: '多个文件时依次加上 -1、-2 等后缀。',
    unguessable: '生成随机长链接',
    password: '密码',
    passwordHint: '之后不再显示。',
    passwordNeeded: '本站要求设置密码，之后不再显示。',
    generate: '生成',
    expiry: '过期时间',
    expiryAt: '过期于',
    maxViews: '查看次数上限',
    noLimit: '不限',
    burn: '阅后即焚',
  },
  expiry: {
    hour: '1 小时',
    day: '1 天',
    week: '7 天',
    month: '30 天',
    never: '永不过期',
    custom: '自定义…',
  },
  hours: '%{smart_count} 小时',
  days: '%{smart_count} 天',
  atMost: '本站最多 %{most}',
  errors: {
    viewsOver: '超出本站允许的次数',
    expiryOver: '超出本站允许的期限',
    passwordNeeded: '本站要求设置密码',
    remarkLength: '不能超过 200 个字符',
    slugRule: '只能包含字母、数字、连字符和下划线',
    slugLength: '不能超过 50 个字符',
    slugReserved: '此链接为系统保留',
    slugTaken: '此链接已被占用，请换一个',
    maxViews: '请输入整数，留空则不限',
    passwordLength: '不能超过 256 个字符',
    expiryPast: '请选择将来的时间',
  },
};

export default share;
