import type en from '../en/several';
import type { Shape } from '../shape';

const several: Shape<typeof en> = {
  downloads: '下载次数上限',
  downloadsHint: '每个文件、每次打包下载各计一次。',
  downloadsWrong: '请输入 0 到 999,999 之间的数字',
  used: '已用 %{used} / %{max} 次。设置新的次数后重新计数。',
  look: '初始视图',
  lookHint: '访客首先看到的视图，可以切换。',
  looks: {
    own: '访客上次使用的视图',
    list: '列表',
    grid: '带预览的网格',
    gallery: '图片画廊',
    preview: '第一个文件的预览',
  },
};

export default several;
