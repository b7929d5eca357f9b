import { useWatch, type FieldValues } from 'react-hook-form';
import { useT, type Translate } from '../../i18n';
import formStyles from '../form/form.module.css';
import { bytesOf, sizeParts } from '../form/size';
import { checks } from '../form/validate';
import { choice, on, integer, type SettingSection } from './fields';
import { SettingsPage } from './SettingsPage';

const MB = 1024 ** 2;
/** Longest life of a share in hours, longest time that something is kept in days, and greatest limit of views, that the server takes. */
const longestHours = 87_600;
const longestDays = 3650;
const mostViews = 1_000_000_000;
/** Longest time in hours that an end is told before, and most versions that are kept. */
const longestNotice = 720;
const mostVersions = 1000;

interface Size {
  amount: unknown;
  unit: string;
}

/** wholeMegabytes is what the server keeps of a size: MB, without a fraction. */
export const wholeMegabytes = ({ amount, unit }: Size): number =>
  Math.floor(bytesOf(Number(amount), unit) / MB);

const sections = (t: Translate): SettingSection[] => {
  const check = checks(t);
  return [
    {
      name: 'uploads',
      settings: {
        max_upload_size: {
          kind: 'size',
          read: (stored) => sizeParts(Number(stored) * MB),
          write: (size) => wholeMegabytes(size as Size),
          said: (size) => `${wholeMegabytes(size as Size)} MB`,
          input: {
            unitLabel: t('admin.settings.unit'),
            validate: [
              check.required,
              check.integer,
              (_: unknown, all: FieldValues) =>
                wholeMegabytes(all.max_upload_size as Size) >= 1
                  ? undefined
                  : t('admin.settings.maxUploadLeast'),
            ],
          },
        },
        default_use_proxy: on,
        file_naming_strategy: { ...choice('overwrite', 'random_suffix'), below: <NamingExample /> },
      },
    },
    {
      name: 'shares',
      settings: {
        share_default_expiry_hours: { ...integer(t, longestHours), pair: true },
        share_max_expiry_hours: { ...integer(t, longestHours), pair: true },
        share_max_views: { ...integer(t, mostViews), pair: true },
        share_expired_grace_days: { ...integer(t, longestDays), pair: true },
        share_expiry_notice_hours: { ...integer(t, longestNotice), pair: true },
        share_password_required: on,
      },
    },
    {
      name: 'revisions',
      settings: {
        text_revisions_kept: { ...integer(t, mostVersions), pair: true },
        text_revisions_days: { ...integer(t, longestDays), pair: true },
      },
    },
    {
      name: 'shareLog',
      settings: {
        share_log_days: { ...integer(t, longestDays), pair: true },
        share_log_address: { ...choice('none', 'network', 'whole'), pair: true },
      },
    },
    {
      name: 'links',
      settings: { proxy_sign_all: on, proxy_sign_expires: integer(t), proxy_sign_epoch: integer(t) },
    },
    {
      name: 'api',
      settings: { cors_allowed_origins: { kind: 'text', input: { optional: true } } },
    },
  ];
};

/** GlobalSettings are limits and links (§7.10, group 1). */
export default function GlobalSettings() {
  const t = useT();
  return <SettingsPage group={1} sections={sections(t)} />;
}

function NamingExample() {
  const t = useT();
  const mode: unknown = useWatch({ name: 'file_naming_strategy' });
  return (
    <p className={formStyles.hint} role="status">
      {t(`admin.settings.namingExamples.${mode === 'random_suffix' ? mode : 'overwrite'}`)}
    </p>
  );
}
