import type en from '../en/collection';
import type { Shape } from '../shape';

const collection: Shape<typeof en> = {
  place: '分享的文件',
  files: '%{smart_count} 个文件',
  facts: '%{files} · %{size}',
  items: '文件',
  entries: '%{smart_count} 项',
  way: '文件夹路径',
  more: '再显示 %{smart_count} 项',
  preview: '%{name} 的预览',
  download: '下载 %{name}',
  downloadAll: '全部下载（ZIP）',
  edit: '编辑',
  pictures: '图片',
  noPictures: '这里没有图片',
  look: { label: '显示方式', list: '列表', grid: '网格', gallery: '图库' },
  order: { label: '排序方式', given: '分享者的顺序', name: '名称', newest: '最新在前', largest: '最大在前' },
  close: '关闭预览',
  empty: '这里没有文件',
  lastView: '这是最后一次查看，链接已失效。请立即下载文件。',
  downloadsLeft: '还可下载 %{smart_count} 次',
  noDownloads: '下载次数已用完，仍可在线查看文件。',
  asItStood: '截至 %{time}',
  lost: '已不可用',
  changed: '已被更改',
  deleted: '已被删除',
  fewLeft: '此链接还可以打开 %{smart_count} 次。',
};

export default collection;
