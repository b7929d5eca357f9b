import { useFormContext, useWatch } from 'react-hook-form';
import { useT, type Translate } from '../../i18n';
import { Button } from '../../shared/ui';
import { useAct } from '../useAct';
import { extensionsOf, isExtension, keyOf, kinds, shadowed, type Kind } from './extensions';
import { choice, on, type SettingSection } from './fields';
import { defaults } from './previewDefaults';
import styles from './settings.module.css';
import { SettingsPage } from './SettingsPage';

const sections = (t: Translate): SettingSection[] => {
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
  return [
    {
      name: 'lists',
      settings: Object.fromEntries(
        kinds.map((kind) => [
          keyOf(kind),
          { kind: 'area', input: { rows: 2, mono: true, validate: valid }, below: <AsRead kind={kind} /> },
        ]),
      ),
    },
    {
      name: 'viewers',
      settings: {
        preview_office_viewers: choice('microsoft,google', 'microsoft', 'google', 'none'),
        preview_office_viewer_url: {
          kind: 'text',
          input: {
            placeholder: 'https://office.example.org/view?src={url}',
            optional: true,
            validate: ownViewer,
          },
        },
        preview_privacy_mode: on,
      },
    },
  ];
};

/** PreviewSettings decide by extension how files are shown (§7.10, group 2). */
export default function PreviewSettings() {
  const t = useT();
  return <SettingsPage group={2} sections={sections(t)} tools={<Restore />} />;
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
          {t('admin.settings.preview.twice', { value, other: t(`admin.settings.labels.${keyOf(by)}`) })}
        </p>
      ))}
    </>
  );
}

function Restore() {
  const t = useT();
  const { setValue } = useFormContext();
  const { ask } = useAct();
  return (
    <Button
      onClick={() =>
        void ask('admin.settings.reset', {
          confirmLabel: t('admin.settings.resetDefaults'),
          run: async () => {
            for (const kind of kinds)
              setValue(keyOf(kind), defaults[kind], { shouldDirty: true, shouldValidate: true });
          },
        })
      }
    >
      {t('admin.settings.resetDefaults')}
    </Button>
  );
}
