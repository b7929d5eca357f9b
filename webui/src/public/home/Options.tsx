import {
  BellPlus,
  CalendarClock,
  CalendarSync,
  Eye,
  KeyRound,
  Link2,
  Tag,
  Type,
  UserLock,
  type LucideIcon,
} from 'lucide-react';
import { Suspense, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useLanguage, useT } from '../../i18n';
import { formatTime } from '../../shared/format';
import { lazyPart } from '../../shared/lazyPart';
import { maxViewsOf, type ShareFormState } from '../../shared/shareform';
import { expiryLabel } from '../../shared/shareform/labels';
import type { ShareField } from '../../shared/shareform/values';
import { Skeleton } from '../../shared/ui';
import styles from './options.module.css';

const Terms = lazyPart(() => import('./Terms'), 'visits');

/** loadTerms fetches the form, so that it is there when it is opened; it never rejects. */
export const loadTerms = Terms.prepare;

interface OptionsProps {
  form: ShareFormState;
  disabled: boolean;
  isTaken: (slug: string, signal: AbortSignal) => Promise<boolean>;
  /** syntax names what the text is shared as; "" when that is found out. */
  syntax: string;
}

/** Options is one row that tells under which terms a share is made; each part of it opens the form at its field. */
export function Options({ form, disabled, isTaken, syntax }: OptionsProps) {
  const t = useT();
  const language = useLanguage();
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<ShareField>();
  const { values, problems } = form;
  // What is wrong in a field is shown where it is, and the form stays when it is right again.
  const [wrong] = Object.keys(problems) as ShareField[];
  if (wrong && chosen === undefined) setChosen(wrong);
  const open = chosen !== undefined;
  // It also leads to what is wrong elsewhere.
  const needed = open || form.asked > 0;
  const [made, setMade] = useState(false);
  if (needed && !made) setMade(true);
  const views = maxViewsOf(values);
  const time = new Date(values.expiryAt);

  const chips: { field: ShareField; icon: LucideIcon; label: string; set: boolean }[] = [
    {
      field: 'expiry',
      icon: CalendarClock,
      label:
        values.expiry === 'never'
          ? t('home.options.never')
          : values.expiry === 'custom'
            ? Number.isNaN(time.getTime())
              ? t('share.form.expiry')
              : t('home.options.until', { time: formatTime(time, language) })
            : t('home.options.expires', { after: expiryLabel(values.expiry, t) }),
      set: values.expiry !== 'never',
    },
    {
      field: 'maxViews',
      icon: Eye,
      label: views ? t('home.options.views', views) : t('home.options.unlimited'),
      set: views > 0,
    },
    {
      field: 'password',
      icon: KeyRound,
      label: t(values.password ? 'home.options.protected' : 'share.form.password'),
      set: values.password !== '',
    },
    {
      field: 'slug',
      icon: Link2,
      label: values.slug.trim() ? `/${values.slug.trim()}` : t('share.form.slug'),
      set: values.slug.trim() !== '',
    },
    {
      field: 'remark',
      icon: Tag,
      label: values.remark.trim() || t('share.form.remark'),
      set: values.remark.trim() !== '',
    },
    { field: 'syntax', icon: Type, label: syntax || t('home.share.syntax'), set: syntax !== '' },
    ...(values.keyOnly
      ? [{ field: 'keyOnly' as const, icon: UserLock, label: t('home.options.keyOnly'), set: true }]
      : []),
    ...(values.slides
      ? [{ field: 'slides' as const, icon: CalendarSync, label: t('home.options.sliding'), set: true }]
      : []),
  ];

  async function choose(field: ShareField) {
    if (chosen === field) {
      setChosen(undefined);
      return;
    }
    await loadTerms();
    // A field that is not shown yet takes no focus.
    flushSync(() => setChosen(field));
    panel.current?.querySelector<HTMLElement>(`[name="${field}"]`)?.focus();
  }

  return (
    <>
      <div className={styles.chips} role="group" aria-label={t('home.share.heading')}>
        {chips.map(({ field, icon: Icon, label, set }) => (
          <button
            key={field}
            type="button"
            className={styles.chip}
            data-set={set || undefined}
            data-free={field === 'slug' || field === 'remark' || undefined}
            title={label}
            aria-expanded={chosen === field}
            aria-controls={id}
            onClick={() => void choose(field)}
          >
            <Icon size={16} />
            <span>{label}</span>
          </button>
        ))}
        <button
          type="button"
          className={styles.chip}
          data-set={values.tell || undefined}
          aria-pressed={values.tell}
          onClick={() => form.set({ tell: !values.tell })}
        >
          <BellPlus size={16} />
          <span>{t('home.options.tell')}</span>
        </button>
      </div>
      <div ref={panel} id={id} className={styles.panel} hidden={!open}>
        {made && (
          <Suspense fallback={<Skeleton lines={6} />}>
            <Terms form={form} disabled={disabled} isTaken={isTaken} />
          </Suspense>
        )}
      </div>
    </>
  );
}
