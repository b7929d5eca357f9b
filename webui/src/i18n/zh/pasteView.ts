import type en from '../en/pasteView';
import type { Shape } from '../shape';

const pasteView: Shape<typeof en> = {
  crumbs: '路径',
  home: '首页',
  place: '文本分享',
  meta: {
    label: '详情',
    created: '创建于',
    expires: '过期时间',
    never: '永不过期',
    views: '还可查看 %{smart_count} 次',
    noViews: '查看次数已用完',
    unlimited: '查看次数不限',
    lines: '%{smart_count} 行',
    protected: '有密码保护',
  },
  lastView: '这是最后一次查看，链接已失效。如需保留请立即保存文本。',
  modes: { label: '视图', preview: '预览', text: '文本', code: '代码' },
  large: '文本大小为 %{size}，渲染可能较慢。',
  render: '渲染',
  content: '分享的文本',
  actions: {
    label: '操作',
    more: '更多',
    copy: '复制文本',
    qr: '二维码',
    download: '下载',
  },
};

export default pasteView;
