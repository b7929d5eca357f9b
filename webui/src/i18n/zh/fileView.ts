import type en from '../en/fileView';
import type { Shape } from '../shape';

const fileView: Shape<typeof en> = {
  place: '文件分享',
  actions: {
    label: '操作',
    download: '下载',
    open: '在浏览器中打开',
    more: '更多',
    raw: '打开原始文本',
    print: '打印',
    edit: '编辑信息',
    share: '分享',
    copied: '链接已复制到剪贴板',
    notCopied: '复制失败',
    qr: '二维码',
    replace: '替换此文件',
    delete: '删除',
  },
  preview: '预览',
  facts: {
    title: '详情',
    created: '上传时间',
    views: '查看次数',
    viewsOf: '%{views} / %{limit}',
    expires: '过期时间',
    never: '永不过期',
    access: '访问方式',
    proxied: '经由本服务器',
    direct: '直连存储',
    link: '分享链接',
    copyLink: '复制分享链接',
    etag: '存储的 ETag',
    copyChecksum: '复制校验和',
  },
  lastView: '这是最后一次查看，链接已失效。请立即下载文件。',
  fewLeft: '此链接还可以打开 %{smart_count} 次。',
  delete: {
    title: '删除“%{name}”？',
    body: '文件及其链接将被永久删除。',
    failed: '文件未能删除。%{reason}',
  },
  deleted: {
    title: '文件已删除',
    body: '其链接已失效。',
    returning: '%{smart_count} 秒后返回首页。',
    stay: '留在此页',
    home: '返回首页',
  },
};

export default fileView;
