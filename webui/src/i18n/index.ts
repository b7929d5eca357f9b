import { useSyncExternalStore } from 'react';
import { currentTranslate, language, subscribe, type Language, type Translate } from './store';

export { firstLanguage, hasMessage, language, loadAreas, setLanguage, startLanguage, t } from './store';
export type { Language, Translate };

/** useT gives the translate function of the language on the screen; the component renders again on a switch. */
export const useT = (): Translate => useSyncExternalStore(subscribe, currentTranslate);

export const useLanguage = (): Language => useSyncExternalStore(subscribe, language);
