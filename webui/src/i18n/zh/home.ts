import type en from '../en/home';
import type { Shape } from '../shape';

const home: Shape<typeof en> = {
  heading: '分享文本',
  modes: { label: '编辑器', plain: '纯文本', markdown: 'Markdown' },
};

export default home;
