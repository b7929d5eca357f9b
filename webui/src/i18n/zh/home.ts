import type en from '../en/home';
import type { Shape } from '../shape';

const home: Shape<typeof en> = {
  heading: '新建分享',
  modes: { label: '编辑器' },
  about: {
    plain: '纯文本，按原样分享',
    instant: 'Markdown，边写边排版',
    source: 'Markdown 源码，标记可见',
    split: 'Markdown 源码与预览并排',
    preview: '读者看到的样子',
  },
  ways: { plain: '纯文本', instant: '即时', source: '源码', split: '分栏', preview: '预览' },
  editor: {
    label: '要分享的文本',
    placeholder: '输入、粘贴文本，或拖入图片与文件',
    placeholderTouch: '输入或粘贴文本、图片与文件',
    preview: '文本预览',
    escape: '按 Esc 再按 Tab 可离开编辑器。',
    empty: '预览将显示在这里。',
    devices: { label: '预览宽度', desktop: '桌面', tablet: '平板', phone: '手机' },
    divider: '源码宽度',
    large: '文本较大，输入时不自动渲染。',
    renderNow: '显示预览',
  },
  toolbar: {
    attachNeeds: '需要分享文件的权限',
    label: '格式',
    import: '选择文件',
    clear: '清空',
  },
  counter: {
    characters: '%{smart_count} 字符',
    words: '%{smart_count} 词',
    lines: '%{smart_count} 行',
    size: '%{size} / %{limit}',
  },
  draft: {
    restored: '已恢复您的草稿。',
    saved: '草稿已保存在本机',
    notSaved: '草稿太大，无法保存在本机。离开前请先分享或导出文本。',
    otherTab: '另一个标签页保存了自己的草稿，可在最近的草稿中找到。',
    lost: '此草稿的内容已不在本设备上。',
  },
  options: {
    never: '永不过期',
    expires: '%{after}后过期',
    until: '%{time} 过期',
    views: '可查看 %{smart_count} 次',
    unlimited: '查看次数不限',
    protected: '已设密码',
    keyOnly: '需要登录',
    sliding: '打开时自动延期',
    tell: '打开时通知我',
  },
  share: {
    heading: '分享设置',
    syntax: '格式',
    syntaxAuto: '自动识别',
    submit: '分享',
    shortcut: 'Ctrl+Enter 或 ⌘Enter',
    empty: '内容不能为空',
    tooLarge: '文本大小为 %{size}，最多可分享 %{limit}',
    networkKept: '%{reason}。文本已保存为草稿，恢复联网后请重试。',
  },
};

export default home;
