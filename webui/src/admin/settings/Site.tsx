import { lazy, Suspense, useState } from 'react';
import { useWatch } from 'react-hook-form';
import { useT } from '../../i18n';
import { reloadSite } from '../../shared/site';
import { choicesOf, Skeleton } from '../../shared/ui';
import { AreaInput, SelectInput, SwitchInput, TextInput } from '../form/inputs';
import { Section } from '../form/PanelForm';
import { checks } from '../form/validate';
import { Brand } from './Brand';
import { faviconGood } from './favicon';
import styles from './settings.module.css';
import { SettingsPage } from './SettingsPage';

const MarkdownView = lazy(() =>
  import('../../shared/markdown/Markdown').then(({ Markdown }) => ({ default: Markdown })),
);

/** Longest title, and longest piece of own code, in characters (§5). */
const longestTitle = 100;
const longestCode = 100_000;

/** SiteSettings are what visitors see of the site itself (§7.10, group 4). */
export default function SiteSettings() {
  const t = useT();
  const check = checks(t);
  return (
    <SettingsPage
      title={t('admin.pages.site')}
      group={4}
      // The copy of this device is renewed at once; other tabs of it follow through the store.
      onSaved={() => void reloadSite().catch(() => undefined)}
    >
      <Section title={t('admin.settings.site.look')}>
        <TextInput
          source="site_title"
          label={t('admin.settings.site.title')}
          optional
          validate={[check.longest(longestTitle)]}
        />
        <TextInput
          source="site_favicon_url"
          label={t('admin.settings.site.favicon')}
          hint={t('admin.settings.site.faviconHint')}
          optional
          validate={[
            (value: unknown) => (faviconGood(value) ? undefined : t('admin.settings.site.faviconBad')),
          ]}
        />
        <Favicon />
        <Brand />
        <AreaInput
          source="site_footer_markdown"
          label={t('admin.settings.site.footer')}
          hint={t('admin.settings.site.footerHint')}
          optional
        />
        <Rendered source="site_footer_markdown" />
        <SelectInput
          source="site_editor_mode"
          label={t('admin.settings.site.editor')}
          hint={t('admin.settings.site.editorHint')}
          choices={choicesOf(['markdown', 'plain'], (value) => t(`admin.settings.site.editors.${value}`))}
        />
        <SelectInput
          source="site_default_language"
          label={t('admin.settings.site.answers')}
          hint={t('admin.settings.site.answersHint')}
          choices={choicesOf(
            ['en', 'zh'],
            (value) => new Intl.DisplayNames(value, { type: 'language' }).of(value) ?? value,
          )}
        />
      </Section>
      <Section title={t('admin.settings.site.announcement')}>
        <SwitchInput source="site_announcement_enabled" label={t('admin.settings.site.announcementOn')} />
        <AreaInput
          source="site_announcement_content"
          label={t('admin.settings.site.announcementText')}
          rows={6}
          optional
        />
        <Rendered source="site_announcement_content" />
      </Section>
      <Section title={t('admin.settings.site.code')}>
        <p className={styles.warning}>{t('admin.settings.site.codeWarning')}</p>
        <AreaInput
          source="site_custom_head"
          label={t('admin.settings.site.head')}
          rows={6}
          mono
          optional
          validate={[check.longest(longestCode)]}
        />
        <AreaInput
          source="site_custom_body"
          label={t('admin.settings.site.body')}
          rows={6}
          mono
          optional
          validate={[check.longest(longestCode)]}
        />
      </Section>
    </SettingsPage>
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
          <MarkdownView text={text} />
        </Suspense>
      </div>
    </div>
  );
}
