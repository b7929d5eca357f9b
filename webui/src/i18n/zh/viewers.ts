import type en from '../en/viewers';
import type { Shape } from '../shape';

const viewers: Shape<typeof en> = {
  refresh: '重新加载',
  fullScreen: '全屏',
  fileName: '文件名',
  opensWith: '可用程序',
  office: {
    none: '此文档无法在这里显示，请下载后打开。',
    viewer: '预览方式',
    by: { page: '本页面', microsoft: '微软', google: '谷歌', site: '本站预览器' },
    family: { word: '文字文档', sheet: '电子表格', slides: '演示文稿', other: '文档' },
    loading: '%{viewer}正在加载文档…',
    inside: '%{viewer}无法获取此文档：其地址位于私有网络内。请下载，或换一种预览方式。',
    unreadable: '无法在这里读取该文档。请换一种预览方式，或下载后打开。',
    consent: {
      title: '使用%{viewer}显示此文档？',
      body: '一个几分钟内有效的文件链接会发送给该公司，由其读取文件。您的选择会保存在此设备上。',
      agree: '同意并显示',
    },
    failed: {
      link: '无法获取Office预览URL',
      late: '%{viewer}暂未显示任何内容。',
    },
    hints: {
      refresh: '刷新页面；如有密码，请重新输入。',
      password: '检查分享是否已过期。',
      direct: '请所有者改用存储直链访问。',
    },
  },
  sheet: {
    choose: '工作表',
    empty: '此工作表为空。',
    rows: '共 %{smart_count} 行，显示 %{shown} 行；仅显示数值，不含公式和图表',
    more: '显示更多行',
  },
  pdf: {
    failed: '无法在这里显示 PDF，请重试或下载。',
    tooLarge: '超过 %{size} 的 PDF 不在这里显示，请下载后阅读。',
    page: '第 %{page} 页，共 %{pages} 页',
    number: '第 %{page} 页',
    previous: '上一页',
    next: '下一页',
    search: '在文档中查找',
    find: '查找',
    found: '在 %{smart_count} 页中找到',
    nextFound: '下一处',
  },
  media: {
    speed: '速度',
    small: '小窗播放',
    previous: '上一首',
    next: '下一首',
    loop: { off: '循环：关闭', all: '循环：整个文件夹', one: '循环：单曲' },
    docked: '正在播放',
    end: '停止并关闭播放器',
    elsewhere: '许多播放器可以直接打开地址。',
    copyAddress: '复制播放地址',
  },
  archive: {
    label: '压缩包内容',
    name: '名称',
    size: '大小',
    facts: '%{smart_count} 个文件，解压后 %{size}',
    cut: '（仅前 %{most} 项）',
  },
  sorts: {
    archive: { name: '压缩包', apps: '7-Zip、Bandizip 或系统自带的文件管理器' },
    image: { name: '特殊格式的图片', apps: 'GIMP、Photoshop、Krita' },
    drawing: { name: '图纸或模型', apps: 'FreeCAD、AutoCAD、Blender' },
    font: { name: '字体', apps: '系统字体设置' },
    book: { name: '电子书', apps: 'Calibre、Apple Books、KOReader' },
    program: { name: '程序或安装包', apps: '其适用的系统；请只打开可信的来源' },
    disk: { name: '磁盘映像', apps: '系统自带的文件管理器、VirtualBox' },
    data: { name: '数据库或数据文件', apps: 'DB Browser for SQLite、DuckDB、LibreOffice Base' },
    media: { name: '媒体文件', apps: 'VLC、mpv、PotPlayer' },
    document: { name: '文档', apps: 'LibreOffice、Microsoft Office、WPS Office' },
    certificate: { name: '证书或密钥', apps: 'OpenSSL、Kleopatra、系统钥匙串' },
    unknown: { name: '未知类型的文件', apps: '未知' },
  },
};

export default viewers;
