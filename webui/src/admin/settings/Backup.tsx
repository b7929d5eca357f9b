import { useT } from '../../i18n';
import { useReading } from '../../shared/query/useReading';
import { storageNamesQuery } from '../data/queries';
import { on, integer } from './fields';
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
    <SettingsPage
      group={5}
      sections={[
        {
          name: 'schedule',
          settings: {
            backup_every_hours: integer(t, longestHours),
            backup_storage: {
              kind: 'choice',
              input: {
                choices: [
                  { value: '', label: t('admin.settings.backupFolder') },
                  ...storages.map(({ id, name }) => ({ value: id, label: name })),
                ],
              },
            },
            backup_local_files: on,
          },
        },
        {
          name: 'retention',
          settings: {
            backup_keep: { ...integer(t, mostKept, 1), pair: true },
            backup_keep_days: { ...integer(t, longestDays), pair: true },
          },
        },
      ]}
    />
  );
}
