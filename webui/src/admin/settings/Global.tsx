import { useWatch, type FieldValues } from 'react-hook-form';
import { useT } from '../../i18n';
import { choicesOf } from '../../shared/ui';
import formStyles from '../form/form.module.css';
import { NumberInput, SelectInput, SizeInput, SwitchInput, TextInput } from '../form/inputs';
import { pairClass, Section } from '../form/PanelForm';
import { bytesOf, sizeParts } from '../form/size';
import { checks } from '../form/validate';
import { SettingsPage, texts } from './SettingsPage';

const MB = 1024 ** 2;
/** Longest life of a share in hours, and greatest limit of views, that the server takes. */
const longestHours = 87_600;
const mostViews = 1_000_000_000;

/** wholeMegabytes is what the server keeps of a size: MB, without a fraction. */
export const wholeMegabytes = (amount: number, unit: string): number =>
  Math.floor(bytesOf(amount, unit) / MB);

function toSettings(values: FieldValues): Record<string, string> {
  const { size, ...others } = values as { size: { amount: unknown; unit: string } } & FieldValues;
  return { ...texts(others), max_upload_size: String(wholeMegabytes(Number(size.amount), size.unit)) };
}

/** GlobalSettings are limits and links (§7.10, group 1). */
export default function GlobalSettings() {
  const t = useT();
  const check = checks(t);
  return (
    <SettingsPage
      title={t('admin.pages.global')}
      group={1}
      toForm={(stored) => ({ ...stored, size: sizeParts(Number(stored.max_upload_size ?? 100) * MB) })}
      toSettings={toSettings}
    >
      <Section title={t('admin.settings.global.uploads')}>
        <SizeInput
          source="size"
          label={t('admin.settings.global.maxUpload')}
          unitLabel={t('admin.settings.global.unit')}
          hint={t('admin.settings.global.maxUploadHint')}
          validate={[
            check.required,
            check.integer,
            (value: unknown, all: FieldValues) =>
              wholeMegabytes(Number(value), String((all.size as { unit?: string } | undefined)?.unit)) >= 1
                ? undefined
                : t('admin.settings.global.maxUploadLeast'),
          ]}
        />
        <SwitchInput
          source="default_use_proxy"
          label={t('admin.settings.global.useProxy')}
          hint={t('admin.settings.global.useProxyHint')}
        />
        <Naming />
      </Section>
      <Section title={t('admin.settings.global.shares')}>
        <p className={formStyles.hint}>{t('admin.settings.global.sharesHint')}</p>
        <div className={pairClass}>
          <NumberInput
            source="share_default_expiry_hours"
            label={t('admin.settings.global.defaultHours')}
            hint={t('admin.settings.global.defaultHoursHint')}
            most={longestHours}
          />
          <NumberInput
            source="share_max_expiry_hours"
            label={t('admin.settings.global.mostHours')}
            hint={t('admin.settings.global.noLimit')}
            most={longestHours}
          />
          <NumberInput
            source="share_max_views"
            label={t('admin.settings.global.mostViews')}
            hint={t('admin.settings.global.noLimit')}
            most={mostViews}
          />
          <NumberInput
            source="share_expired_grace_days"
            label={t('admin.settings.global.grace')}
            most={3650}
          />
          <NumberInput
            source="share_expiry_notice_hours"
            label={t('admin.settings.global.notice')}
            hint={t('admin.settings.global.noticeHint')}
            most={720}
          />
        </div>
        <SwitchInput source="share_password_required" label={t('admin.settings.global.password')} />
      </Section>
      <Section title={t('admin.settings.global.revisions')}>
        <div className={pairClass}>
          <NumberInput
            source="text_revisions_kept"
            label={t('admin.settings.global.revisionsKept')}
            hint={t('admin.settings.global.revisionsKeptHint')}
            most={1000}
          />
          <NumberInput
            source="text_revisions_days"
            label={t('admin.settings.global.revisionDays')}
            hint={t('admin.settings.global.revisionDaysHint')}
            most={3650}
          />
        </div>
      </Section>
      <Section title={t('admin.settings.global.shareLog')}>
        <div className={pairClass}>
          <NumberInput
            source="share_log_days"
            label={t('admin.settings.global.logDays')}
            hint={t('admin.settings.global.logDaysHint')}
            most={3650}
          />
          <SelectInput
            source="share_log_address"
            label={t('admin.settings.global.logAddress')}
            choices={choicesOf(['none', 'network', 'whole'], (value) =>
              t(`admin.settings.global.addresses.${value}`),
            )}
          />
        </div>
      </Section>
      <Section title={t('admin.settings.global.links')}>
        <SwitchInput source="proxy_sign_all" label={t('admin.settings.global.signAll')} />
        <NumberInput
          source="proxy_sign_expires"
          label={t('admin.settings.global.signExpires')}
          hint={t('admin.settings.global.signHint')}
        />
        <NumberInput
          source="proxy_sign_epoch"
          label={t('admin.settings.global.epoch')}
          hint={t('admin.settings.global.epochHint')}
        />
      </Section>
      <Section title={t('admin.settings.global.api')}>
        <TextInput
          source="cors_allowed_origins"
          label={t('admin.settings.global.origins')}
          hint={t('admin.settings.global.originsHint')}
          optional
        />
      </Section>
    </SettingsPage>
  );
}

function Naming() {
  const t = useT();
  const mode: unknown = useWatch({ name: 'file_naming_strategy' });
  return (
    <>
      <SelectInput
        source="file_naming_strategy"
        label={t('admin.settings.global.naming')}
        choices={choicesOf(['overwrite', 'random_suffix'], (value) =>
          t(`admin.settings.global.namingChoices.${value}`),
        )}
      />
      <p className={formStyles.hint} role="status">
        {t(`admin.settings.global.namingExamples.${mode === 'random_suffix' ? mode : 'overwrite'}`)}
      </p>
    </>
  );
}
