import { useT } from '../../i18n';
import { SelectField, TextField } from '../ui';
import { downloadsWrong, landings, type Several } from './several';

export interface SeveralFieldsProps {
  several: Several;
  /** used is how many downloads there were of how many. */
  used?: { count: number; of: number } | undefined;
  onChange: (change: Partial<Several>) => void;
}

/** SeveralFields say how often what is behind one link for several files is downloaded, and what visitors see first. */
export default function SeveralFields({ several, used, onChange }: SeveralFieldsProps) {
  const t = useT();
  return (
    <>
      <TextField
        name="downloads"
        label={t('several.downloads')}
        hint={used ? t('several.used', { used: used.count, max: used.of }) : t('several.downloadsHint')}
        error={downloadsWrong(several) ? t('several.downloadsWrong') : undefined}
        value={several.downloads}
        inputMode="numeric"
        placeholder={t('share.form.noLimit')}
        onChange={(event) => onChange({ downloads: event.target.value })}
      />
      <SelectField
        name="look"
        label={t('several.look')}
        hint={t('several.lookHint')}
        value={several.look}
        choices={landings.map((value) => ({ value, label: t(`several.looks.${value || 'own'}`) }))}
        onChange={(event) => onChange({ look: event.target.value as Several['look'] })}
      />
    </>
  );
}
