import type en from '../en/usage';
import type { Shape } from '../shape';

const usage: Shape<typeof en> = {
  title: '用量',
  intro: '此密钥的上传情况。每日数据在 %{time} 重新计算。',
  bytesToday: '今日上传',
  filesToday: '今日文件数',
  bytesStored: '文件分享已存储',
  of: '%{used} / %{limit}',
  noLimit: '%{used}，无限制',
  left: '剩余 %{left}',
  reached: '已达上限',
  none: '尚未上传任何内容。',
  mounts: '挂载中的文件计入今日上传，不计入已存储。',
};

export default usage;
