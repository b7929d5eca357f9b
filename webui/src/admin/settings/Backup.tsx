import { useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { storageNamesQuery } from '../data/queries';
import formStyles from '../form/form.module.css';
import { NumberInput, SelectInput, SwitchInput } from '../form/inputs';
import { pairClass, Section } from '../form/PanelForm';
import { SettingsPage } from './SettingsPage';

/** Longest time between two backups in hours, most that are kept, and longest time in days, that the server takes. */
const longestHours = 8760;
const mostKept = 1000;
const longestDays = 3650;

/** BackupSettings say when backups are made, where, and which stay (group 5). */
export default function BackupSettings() {
  const t = useT();
  const storages = useReading(storageNamesQuery).data ?? [];
  return (
    <SettingsPage title={t('admin.pages.backupSettings')} group={5}>
      <Section title={t('admin.settings.backup.schedule')}>
        <NumberInput
          source="backup_every_hours"
          label={t('admin.settings.backup.every')}
          hint={t('admin.settings.backup.everyHint')}
          most={longestHours}
        />
        <SelectInput
          source="backup_storage"
          label={t('admin.settings.backup.storage')}
          hint={t('admin.settings.backup.storageHint')}
          choices={[
            { value: '', label: t('admin.settings.backup.folder') },
            ...storages.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <SwitchInput
          source="backup_local_files"
          label={t('admin.settings.backup.files')}
          hint={t('admin.settings.backup.filesHint')}
        />
      </Section>
      <Section title={t('admin.settings.backup.retention')}>
        <p className={formStyles.hint}>{t('admin.settings.backup.retentionHint')}</p>
        <div className={pairClass}>
          <NumberInput
            source="backup_keep"
            label={t('admin.settings.backup.keep')}
            least={1}
            most={mostKept}
          />
          <NumberInput
            source="backup_keep_days"
            label={t('admin.settings.backup.days')}
            hint={t('admin.settings.backup.daysHint')}
            most={longestDays}
          />
        </div>
      </Section>
    </SettingsPage>
  );
}
