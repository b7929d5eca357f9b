import type en from '../en/notFound';
import type { Shape } from '../shape';

const notFound: Shape<typeof en> = {
  title: '页面未找到',
  body: '这个地址下没有内容，请检查链接是否输入有误。',
  links: '您可以前往',
  returning: '%{smart_count} 秒后返回首页。',
  stay: '留在此页',
};

export default notFound;
