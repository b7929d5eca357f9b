import { useFormContext, useWatch } from 'react-hook-form';
import { useT } from '../../i18n';
import { Button, choicesOf, confirm } from '../../shared/ui';
import formStyles from '../form/form.module.css';
import { AreaInput, SelectInput, SwitchInput, TextInput } from '../form/inputs';
import { Section } from '../form/PanelForm';
import { extensionsOf, isExtension, keyOf, kinds, shadowed, type Kind } from './extensions';
import { defaults } from './previewDefaults';
import styles from './settings.module.css';
import { SettingsPage } from './SettingsPage';

/** PreviewSettings decide by extension how files are shown (§7.10, group 2). */
export default function PreviewSettings() {
  const t = useT();
  const valid = (value: unknown) => {
    const items = extensionsOf(value);
    if (items.length === 0) return t('admin.settings.preview.empty');
    const bad = items.find((item) => !isExtension(item));
    return bad === undefined ? undefined : t('admin.settings.preview.bad', { value: bad });
  };
  const ownViewer = (value: unknown) => {
    const text = String(value ?? '').trim();
    if (text === '' || (/^https?:\/\/[^/]/.test(text) && text.includes('{url}'))) return undefined;
    return t('admin.settings.preview.ownViewerBad');
  };
  return (
    <SettingsPage title={t('admin.pages.preview')} group={2} tools={<Restore />}>
      <p className={formStyles.hint}>{t('admin.settings.preview.intro')}</p>
      <Section title={t('admin.settings.preview.lists')}>
        {kinds.map((kind) => (
          <div key={kind} className={styles.kind}>
            <AreaInput
              source={keyOf(kind)}
              label={t(`admin.settings.preview.${kind}`)}
              rows={2}
              mono
              validate={[valid]}
            />
            <AsRead kind={kind} />
          </div>
        ))}
      </Section>
      <Section title={t('admin.settings.preview.viewers')}>
        <SelectInput
          source="preview_office_viewers"
          label={t('admin.settings.preview.officeViewers')}
          hint={t('admin.settings.preview.officeViewersHint')}
          choices={choicesOf(['microsoft,google', 'microsoft', 'google', 'none'], (value) =>
            t(`admin.settings.preview.officeChoices.${value.replace(',', '_')}`),
          )}
        />
        <TextInput
          source="preview_office_viewer_url"
          label={t('admin.settings.preview.ownViewer')}
          hint={t('admin.settings.preview.ownViewerHint')}
          placeholder="https://office.example.org/view?src={url}"
          optional
          validate={[ownViewer]}
        />
        <SwitchInput
          source="preview_privacy_mode"
          label={t('admin.settings.preview.privacy')}
          hint={t('admin.settings.preview.privacyHint')}
        />
      </Section>
    </SettingsPage>
  );
}

/** AsRead shows how a list is understood, and which of its entries another list takes. */
function AsRead({ kind }: { kind: Kind }) {
  const t = useT();
  const all = useWatch({ name: kinds.map(keyOf) }) as unknown[];
  const lists = Object.fromEntries(kinds.map((name, at) => [name, extensionsOf(all[at])])) as Record<
    Kind,
    string[]
  >;
  return (
    <>
      <ul className={styles.chips} aria-label={t('admin.settings.preview.chips')}>
        {[...new Set(lists[kind])].map((item) => (
          <li key={item} data-bad={!isExtension(item)}>
            {item}
          </li>
        ))}
      </ul>
      {shadowed(kind, lists).map(({ value, by }) => (
        <p key={value} className={styles.twice} role="status">
          {t('admin.settings.preview.twice', { value, other: t(`admin.settings.preview.${by}`) })}
        </p>
      ))}
    </>
  );
}

function Restore() {
  const t = useT();
  const { setValue } = useFormContext();
  return (
    <Button
      onClick={() =>
        void confirm({
          title: t('admin.settings.resetTitle'),
          body: t('admin.settings.resetBody'),
          confirmLabel: t('admin.settings.resetDefaults'),
        }).then((yes) => {
          if (!yes) return;
          for (const kind of kinds)
            setValue(keyOf(kind), defaults[kind], { shouldDirty: true, shouldValidate: true });
        })
      }
    >
      {t('admin.settings.resetDefaults')}
    </Button>
  );
}
