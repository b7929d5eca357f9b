import polyglotI18nProvider from 'ra-i18n-polyglot';
import { useEffect, useState } from 'react';
import type { I18nProvider, TranslationMessages } from 'react-admin';
import { language, useLanguage, type Language } from '../i18n';
import type { Messages } from '../i18n/shape';
import { queryClient } from '../shared/query/client';

const load: Record<Language, () => Promise<Messages>> = {
  'zh-CN': () => messagesOf(import('../i18n/zh'), import('../i18n/zh/admin')),
  'en-US': () => messagesOf(import('../i18n/en'), import('../i18n/en/admin')),
};

/** messagesOf joins the app's own catalogue with the texts of react-admin. */
async function messagesOf(
  shared: Promise<{ core: Messages }>,
  panel: Promise<{ default: Messages; ra: Messages }>,
): Promise<Messages> {
  const [{ core }, { default: admin, ra }] = await Promise.all([shared, panel]);
  return { ...core, admin, ra };
}

async function providerOf(of: Language): Promise<I18nProvider> {
  const messages = await load[of]();
  // Texts that are ready already, such as those of validations, pass through it as they are.
  return polyglotI18nProvider(() => messages as TranslationMessages, of, [], {
    allowMissing: true,
  });
}

const first = providerOf(language());

/** useI18nProvider gives react-admin the texts of the language on the screen; undefined until they are there. */
export function useI18nProvider(): I18nProvider | undefined {
  const wanted = useLanguage();
  const [provider, setProvider] = useState<I18nProvider>();
  useEffect(() => {
    let current = true;
    const next = provider
      ? providerOf(wanted)
      : first.then((p) => (p.getLocale() === wanted ? p : providerOf(wanted)));
    if (provider?.getLocale() !== wanted) {
      // Another provider, not another locale of the same: a form keeps what was typed.
      void next.then((made) => {
        if (!current) return;
        setProvider(made);
        // What the server has said of tasks, storages and the like is in the language it was asked in.
        if (provider) void queryClient.invalidateQueries();
      });
    }
    return () => {
      current = false;
    };
  }, [wanted, provider]);
  return provider;
}
