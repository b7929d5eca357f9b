import type { ReactNode } from 'react';
import { useT, useLanguage } from '../../i18n';
import { formatTime, parseTime } from '../format';
import { PasswordField, SelectField, TextField } from '../ui';
import { FormProblems } from '../ui/FormProblems';
import type { PasswordMode, Terms, TermValues } from './changes';
import styles from './ShareForm.module.css';
import { siteRules } from '../rules';
import { durationLabel, expiryLabel } from './labels';
import { expiryChoices, type ShareProblems } from './values';

interface TermsFormProps {
  /** asked counts the times the form was to be saved and something was wrong. */
  asked: number;
  terms: Terms;
  values: TermValues;
  problems: ShareProblems;
  onChange: (change: Partial<TermValues>) => void;
  /** withSlug lets the link be changed. */
  withSlug?: boolean;
  /** children are fields that this kind of share has besides. */
  children?: ReactNode;
}

/** TermsForm changes what a share has; each field starts as "keep". */
export function TermsForm(props: TermsFormProps) {
  const { asked, terms, values, problems, onChange, withSlug = false, children } = props;
  const t = useT();
  const language = useLanguage();
  const error = (field: keyof ShareProblems) => (problems[field] ? t(problems[field]) : undefined);
  const end = terms.expiresAt ? parseTime(terms.expiresAt) : null;
  const rules = siteRules();
  const removable = terms.hasPassword && !rules.password;
  const modes: PasswordMode[] = removable ? ['keep', 'set', 'remove'] : ['keep', 'set'];
  const modeName = (mode: PasswordMode) =>
    t(`shareEdit.passwordMode.${mode === 'keep' && !terms.hasPassword ? 'none' : mode}`);
  return (
    <div className={styles.frame}>
      <FormProblems asked={asked} />
      <fieldset className={styles.form}>
        <legend className="visually-hidden">{t('shareEdit.heading')}</legend>
        <TextField
          label={t('shareEdit.remark')}
          optional
          error={error('remark')}
          value={values.remark}
          onChange={(event) => onChange({ remark: event.target.value })}
        />
        {withSlug && (
          <TextField
            label={t('shareEdit.slug')}
            hint={t('shareEdit.slugHint')}
            error={error('slug')}
            value={values.slug}
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            onChange={(event) => onChange({ slug: event.target.value })}
          />
        )}
        <SelectField
          label={t('shareEdit.expiry')}
          hint={
            rules.maxHours > 0 ? t('share.atMost', { most: durationLabel(rules.maxHours, t) }) : undefined
          }
          error={error('expiry')}
          value={values.expiry}
          choices={[
            {
              value: 'keep',
              label: end
                ? t('shareEdit.keepUntil', { until: formatTime(end, language) })
                : t('shareEdit.keepNever'),
            },
            ...expiryChoices().map((value) => ({ value, label: expiryLabel(value, t) })),
          ]}
          onChange={(event) => onChange({ expiry: event.target.value as TermValues['expiry'] })}
        />
        {values.expiry === 'custom' && (
          <TextField
            type="datetime-local"
            label={t('share.form.expiryAt')}
            error={error('expiryAt')}
            value={values.expiryAt}
            onChange={(event) => onChange({ expiryAt: event.target.value })}
          />
        )}
        <TextField
          label={t('shareEdit.maxViews')}
          hint={
            rules.maxViews > 0
              ? t('share.atMost', { most: String(rules.maxViews) })
              : t('shareEdit.maxViewsHint')
          }
          placeholder={rules.maxViews > 0 ? undefined : t('share.form.noLimit')}
          error={error('maxViews')}
          value={values.maxViews}
          inputMode="numeric"
          onChange={(event) => onChange({ maxViews: event.target.value })}
        />
        <SelectField
          label={t('shareEdit.password')}
          value={values.passwordMode}
          choices={modes.map((value) => ({ value, label: modeName(value) }))}
          onChange={(event) => onChange({ passwordMode: event.target.value as PasswordMode })}
        />
        {values.passwordMode === 'set' && (
          <PasswordField
            label={t('shareEdit.newPassword')}
            hint={t('share.form.passwordHint')}
            error={error('password')}
            value={values.password}
            autoComplete="new-password"
            onChange={(event) => onChange({ password: event.target.value })}
          />
        )}
        {children}
      </fieldset>
    </div>
  );
}
