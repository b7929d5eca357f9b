import type { Channel } from '../../api/admin/channels';
import type { Language, Translate } from '../../i18n';
import { ways } from './ways';

type Type = Channel['type'];

/** partNames are what is told of a channel by its type, besides its name, in the order of the forms. */
const partNames = {
  webhook: ['address'],
  mail: ['address', 'to', 'from', 'user', 'secret'],
  ntfy: ['address', 'secret'],
  gotify: ['address', 'secret'],
  push: [],
} as const satisfies Record<Type, readonly string[]>;

/** A Part of what is told of a channel: where messages go, and how to get them there. */
export interface Part {
  name: (typeof partNames.mail)[number];
  label: string;
  hint?: string | undefined;
  placeholder?: string | undefined;
  optional?: boolean;
}

/** partsOf are the inputs of a channel of a type; `kept` says that it has a secret, which stays where none is typed. */
export const partsOf = (type: Type, t: Translate, kept = false): Part[] =>
  partNames[type].map((name): Part => {
    switch (name) {
      case 'address':
        return {
          name,
          label: t(`channels.addresses.${type}`),
          hint: t(`channels.addressHints.${type}`),
          placeholder: ways.find((way) => way.type === type)?.example,
        };
      case 'to':
        return { name, label: t('channels.to'), hint: t('channels.toHint'), placeholder: 'ops@example.com' };
      case 'from':
        return { name, label: t('channels.from'), placeholder: 'pasteport@example.com' };
      case 'user':
        return { name, label: t('channels.user'), hint: t('channels.userHint'), optional: true };
      case 'secret':
        return {
          name,
          label: t(`channels.secrets.${type}`),
          hint: kept ? t('channels.secretKeep') : undefined,
          optional: type !== 'gotify' || kept,
        };
    }
  });

/** sent is what goes to the server of a part: undefined where the type has none, and for a secret that is not typed. */
export function sent(type: Type, name: Part['name'], typed: unknown): string | string[] | undefined {
  if (!(partNames[type] as readonly string[]).includes(name)) return undefined;
  const text = String(typed ?? '').trim();
  // The server takes bare addresses, in which none of these marks can be.
  if (name === 'to') return text.split(/[,;，；\s]+/).filter(Boolean);
  return name === 'secret' ? text || undefined : text;
}

/** ownKinds are what the owner of shares and requests may be told of, by their names in forms and catalogues. */
export const ownKinds = {
  kind_opened: 'share.opened',
  kind_used_up: 'share.used_up',
  kind_expires: 'share.expires_soon',
  kind_request: 'request.fulfilled',
  kind_refused: 'request.refused',
} as const;

/** messageLanguage is that of messages for somebody who reads the pages in a language. */
export const messageLanguage = (language: Language) => (language === 'en-US' ? 'en' : 'zh');
