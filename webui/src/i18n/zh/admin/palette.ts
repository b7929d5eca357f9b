import type en from '../../en/admin/palette';
import type { Shape } from '../../shape';

const palette: Shape<typeof en> = {
  open: '转到…',
  title: '转到',
  label: '搜索页面、密钥、分享和设置',
  kind: {
    page: '页面',
    make: '新建',
    key: 'API 密钥',
    storage: '存储',
    mount: '挂载',
    share: '分享',
    setting: '设置',
  },
};

export default palette;
