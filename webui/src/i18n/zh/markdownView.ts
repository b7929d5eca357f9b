import type en from '../en/markdownView';
import type { Shape } from '../shape';

const markdownView: Shape<typeof en> = {
  code: '代码',
  codePlain: '文本',
  codeNamed: '%{language} 代码',
  codeLines: '%{smart_count} 行',
  codeCopy: '复制',
  codeCopied: '已复制',
  codeCopyFailed: '复制失败',
  codePreview: '预览',
  codeUnfold: '展开全部 %{smart_count} 行',
  codeFold: '收起',
  contents: '目录',
  diagram: '图表（%{kind}）',
  diagramSource: '图表源码',
  diagramFailed: '图表无法绘制：%{reason}',
  footnoteBack: '返回正文',
  imageHeld: '从 %{site} 加载图片',
  imageOpen: '放大图片 %{name}',
  table: '表格',
  task: '任务',
  taskLocal: '勾选不会保存',
  outline: '大纲',
  outlineEmpty: '没有标题',
  outlineBranch: '“%{name}”下的标题',
  outlineUnnamed: '无文字的标题',
  divider: '大纲宽度（百分比）',
};

export default markdownView;
