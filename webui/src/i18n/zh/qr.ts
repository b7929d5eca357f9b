import type en from '../en/qr';
import type { Shape } from '../shape';

const qr: Shape<typeof en> = {
  title: '二维码',
  alt: '链接 %{link} 的二维码',
  png: '下载 PNG',
  svg: '下载 SVG',
  tooLong: '链接太长，无法生成二维码。',
};

export default qr;
