import { expect, it } from 'vitest';
import { makePhrases } from '../../i18n/phrases';
import en from '../../i18n/en/common';
import zh from '../../i18n/zh/common';
import { kindName } from './KindIcon';

it.each([
  ['tides.pdf', 'Document (PDF)', '文档 (PDF)'],
  ['pier.png', 'Image (PNG)', '图片 (PNG)'],
  ['boat.zip', 'Archive (ZIP)', '压缩包 (ZIP)'],
  ['noext', 'File', '文件'],
  ['hull.blueprint', 'File', '文件'],
])('%s is told as its kind and ending, not as a MIME type', (filename, inEnglish, inChinese) => {
  const names = [
    ['en', en, inEnglish],
    ['zh-CN', zh, inChinese],
  ] as const;
  for (const [language, common, name] of names) {
    const phrases = makePhrases(language);
    phrases.add({ common });
    expect(kindName({ filename, mimetype: '', type: 0 }, phrases.t)).toBe(name);
  }
});
