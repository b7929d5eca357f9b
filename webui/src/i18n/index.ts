import { useStore } from '../store';
import { language, shown, t, type Language, type Translate } from './store';

export { hasMessage, language, loadAreas, setLanguage, startLanguage, t } from './store';
export type { Language, Translate };

/** useT gives the translate function of the language on the screen; the component renders again on a switch. */
export const useT = (): Translate => useStore(shown, (loaded) => loaded?.phrases.t ?? t);

export const useLanguage = (): Language => useStore(shown, language);
