import { useT } from '../../i18n';
import { ShareForm, type ShareFormState } from '../../shared/shareform';
import { SelectField } from '../../shared/ui';
import { syntaxes } from './syntaxes';

interface TermsProps {
  form: ShareFormState;
  disabled: boolean;
  isTaken: (slug: string, signal: AbortSignal) => Promise<boolean>;
}

/** Terms is the form of what a text is shared under; it comes when one of its fields is opened. */
export default function Terms({ form, disabled, isTaken }: TermsProps) {
  const t = useT();
  return (
    <ShareForm form={form} disabled={disabled} isTaken={isTaken}>
      <SelectField
        name="syntax"
        label={t('home.share.syntax')}
        value={form.values.syntax}
        choices={[
          { value: '', label: t('home.share.syntaxAuto') },
          { value: 'markdown', label: 'Markdown' },
          { value: 'text', label: t('home.ways.plain') },
          ...Object.entries(syntaxes).map(([value, label]) => ({ value, label })),
        ]}
        onChange={(event) => form.set({ syntax: event.target.value })}
      />
    </ShareForm>
  );
}
