import { lazy, Suspense, useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useT, type Translate } from '../../i18n';
import { reloadSite } from '../../shared/site';
import { choicesOf, Skeleton } from '../../shared/ui';
import { light } from '../../theme/tokens';
import { checks } from '../form/validate';
import { Logo, Looks, Picker } from './Brand';
import { faviconGood } from './favicon';
import { choice, on, type Setting, type SettingSection } from './fields';
import styles from './settings.module.css';
import { SettingsPage } from './SettingsPage';
import { isColour } from './shades';

const MarkdownView = lazy(() =>
  import('../../shared/markdown/Markdown').then(({ Markdown }) => ({ default: Markdown })),
);

/** Longest title, and longest piece of own code, in characters (§5). */
const longestTitle = 100;
const longestCode = 100_000;

const sections = (t: Translate): SettingSection[] => {
  const check = checks(t);
  const rendered = (name: string) => <Rendered source={name} />;
  const code: Setting = {
    kind: 'area',
    // As it was typed.
    write: String,
    input: { rows: 6, mono: true, optional: true, validate: check.longest(longestCode) },
  };
  return [
    {
      name: 'look',
      settings: {
        site_title: { kind: 'text', input: { optional: true, validate: check.longest(longestTitle) } },
        site_favicon_url: {
          kind: 'text',
          input: {
            optional: true,
            validate: (value: unknown) =>
              faviconGood(value) ? undefined : t('admin.settings.site.faviconBad'),
          },
          below: <Favicon />,
        },
        site_logo: { kind: 'text', shown: <Logo /> },
        site_accent: {
          kind: 'text',
          input: {
            placeholder: light.accent,
            optional: true,
            validate: (value: unknown) =>
              !value || isColour(String(value)) ? undefined : t('admin.settings.site.accentBad'),
            after: <Picker />,
          },
          below: <Looks />,
        },
        site_footer_markdown: {
          kind: 'area',
          input: { optional: true },
          below: rendered('site_footer_markdown'),
        },
        site_editor_mode: choice('markdown', 'plain'),
        site_default_language: {
          kind: 'choice',
          input: {
            choices: choicesOf(
              ['en', 'zh'],
              (value) => new Intl.DisplayNames(value, { type: 'language' }).of(value) ?? value,
            ),
          },
        },
      },
    },
    {
      name: 'announcement',
      settings: {
        site_announcement_enabled: on,
        site_announcement_content: {
          kind: 'area',
          input: { rows: 6, optional: true },
          below: rendered('site_announcement_content'),
        },
      },
    },
    {
      name: 'code',
      warning: true,
      settings: { site_custom_head: code, site_custom_body: code },
    },
  ];
};

/** SiteSettings are what visitors see of the site itself (§7.10, group 4). */
export default function SiteSettings() {
  const t = useT();
  return (
    <SettingsPage
      group={4}
      sections={sections(t)}
      // The copy of this device is renewed at once; other tabs of it follow through the store.
      onSaved={() => void reloadSite().catch(() => undefined)}
    />
  );
}

/** Favicon shows the icon as it is typed. */
function Favicon() {
  const t = useT();
  const url = String(useWatch({ name: 'site_favicon_url' }) ?? '').trim();
  const [failed, setFailed] = useState('');
  if (url === '' || !faviconGood(url)) return null;
  return (
    <p className={styles.icon}>
      {failed === url ? (
        <span role="status">{t('admin.settings.site.faviconFails')}</span>
      ) : (
        <>
          <img src={url} alt={t('admin.settings.site.faviconAlt')} onError={() => setFailed(url)} />
          {t('admin.settings.site.preview')}
        </>
      )}
    </p>
  );
}

/** Rendered shows Markdown as visitors will see it. */
function Rendered({ source }: { source: string }) {
  const t = useT();
  const text = String(useWatch({ name: source }) ?? '');
  if (text.trim() === '') return null;
  return (
    <div>
      <p className={styles.label}>{t('admin.settings.site.preview')}</p>
      <div
        className={styles.preview}
        tabIndex={0}
        role="region"
        aria-label={t('admin.settings.site.preview')}
      >
        <Suspense fallback={<Skeleton lines={2} />}>
          <MarkdownView text={text} ofSite />
        </Suspense>
      </div>
    </div>
  );
}
