import type { Language } from '../i18n';

/** The languages under their own names, which are the same in every catalogue. */
export const languageNames: readonly { language: Language; name: string }[] = [
  { language: 'zh-CN', name: '中文' },
  { language: 'en-US', name: 'English' },
];
