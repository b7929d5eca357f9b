import type { Language } from '../../i18n';

/** wordsIn picks a driver's text in the language of the page; English where it has no other. */
export const wordsIn = (words: Record<string, string>, language: Language, otherwise = ''): string =>
  words[language.slice(0, 2)] || words.en || otherwise;
