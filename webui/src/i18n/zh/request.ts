import type en from '../en/request';
import type { Shape } from '../shape';

const request: Shape<typeof en> = {
  place: '发送文件',
  until: '截止时间：%{time}',
  rules: {
    title: '可发送的内容',
    types: '接受：%{types}',
    fileBytes: '单个文件不超过 %{size}',
    files: '最多 %{smart_count} 个文件',
    bytes: '总计不超过 %{size}',
  },
  types: {
    image: '图片',
    video: '视频',
    audio: '音频',
    pdf: 'PDF',
    office: 'Office 文档',
    text: '文本',
    archive: '压缩包',
    separator: '、',
  },
  sender: '您的姓名',
  note: '备注',
  noteHint: '收件人会看到此备注。',
  missing: '请填写此项',
  drop: '将文件拖放到此处',
  choose: '选择文件',
  send: '发送 %{smart_count} 个文件',
  sending: '正在发送，已完成 %{done} / %{files}',
  resume: '重新选择未传完的文件即可续传。',
  wrongType: '不接受此类文件。',
  tooLarge: '此文件大小为 %{size}，最多允许 %{limit}。',
  thanks: '谢谢',
  thanksBody: '%{smart_count} 个文件已全部送达。',
  more: '继续发送',
  sent: '您已发送',
  private: '只有收件人能看到您发送的内容。',
  gone: {
    title: '此收集已关闭',
    body: '收集已结束或已过截止时间，请联系向您提供链接的人。',
  },
  unknown: {
    title: '收集链接不存在',
    body: '请检查链接是否有误，或索取新的链接。',
  },
  code: {
    request_full: '此收集已收满，不能再发送。',
    request_closed: '此收集已关闭。',
    request_type: '不接受此类文件。',
    expired: '已过截止时间。',
    password_required: '密码已更改，请刷新页面。',
    policy_denied: '站点规则不允许发送此文件。',
    already_exists: '文件未能保存，请重试。',
  },
};

export default request;
