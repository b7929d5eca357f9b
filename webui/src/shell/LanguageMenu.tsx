import { Languages } from 'lucide-react';
import { errorText } from '../api/errorText';
import { setLanguage, useLanguage, useT, type Language } from '../i18n';
import { IconButton, Menu, toast } from '../shared/ui';
import { languageNames } from './languageNames';

/** LanguageMenu switches the language at once; each entry is in its own language. */
export function LanguageMenu() {
  const t = useT();
  const shown = useLanguage();
  const choose = (next: Language) =>
    void setLanguage(next).catch((error: unknown) => toast.error(errorText(error, t)));
  return (
    <Menu
      label={t('app.language.button')}
      button={(attributes) => (
        <IconButton label={t('app.language.button')} {...attributes}>
          <Languages size={20} />
        </IconButton>
      )}
      items={languageNames.map(({ language, name }) => ({
        label: name,
        lang: language,
        checked: language === shown,
        run: () => choose(language),
      }))}
    />
  );
}
