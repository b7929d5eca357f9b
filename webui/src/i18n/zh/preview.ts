import type en from '../en/preview';
import type { Shape } from '../shape';

const preview: Shape<typeof en> = {
  large: '文件大小为 %{size}，点击后才会加载。',
  showAnyway: '加载预览',
  other: '此类文件无法在这里显示，请下载后打开。',
  download: '下载',
  details: '详细信息',
  mime: '媒体类型',
  extension: '扩展名',
  noExtension: '无',
  image: {
    title: '图片',
    open: '放大图片 %{name}',
    failed: '图片加载失败。',
    count: '第 %{index} 张，共 %{total} 张',
    zoomIn: '放大',
    zoomOut: '缩小',
    turn: '旋转',
    previous: '上一张',
    next: '下一张',
    play: '播放动图',
  },
  media: { unsupported: '此浏览器无法播放该文件，请下载后播放。' },
  html: {
    render: '渲染',
    copy: '复制代码',
    run: '运行脚本',
    stop: '停止脚本',
    safe: '内容显示在封闭的框架中，无法访问本站、您的登录信息或网络。',
  },
  code: {
    line: '第 %{number} 行',
    language: '语言',
    noLanguage: '不着色',
    goTo: '链接到行',
    go: '前往',
    goToWrong: '请输入行号或范围，例如 10 或 10-20',
  },
  text: {
    mode: '视图',
    modes: { rendered: '预览', text: 'TXT', code: '代码' },
    wrap: '自动换行',
    copy: '复制文本',
    encoding: '编码',
    tooLarge: '文本大小为 %{size}，最多显示 10 MB。请下载后阅读全部内容。',
    firstPart: '显示前 1 MB',
    isPart: '仅显示前 1 MB。',
    failed: '文本加载失败。链接可能已过期，请刷新页面重新获取。',
    binary: '这看起来不是文本，可尝试其他编码。',
    lines: '%{count} 行',
    characters: '%{count} 个字符',
    words: '%{count} 个词',
    mixed: '混合换行符',
  },
};

export default preview;
