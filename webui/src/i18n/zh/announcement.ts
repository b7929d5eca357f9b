import type en from '../en/announcement';
import type { Shape } from '../shape';

const announcement: Shape<typeof en> = {
  title: '公告',
  never: '不再显示',
  gotIt: '我知道了',
};

export default announcement;
