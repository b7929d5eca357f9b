import { ExternalLink, Share2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../../api/client';
import { shareEntry, type Entry } from '../../api/fs';
import { pageUrl } from '../../config';
import { useLanguage, useT } from '../../i18n';
import { errorText } from '../../shared/errorText';
import {
  expiresAt,
  expiresInHours,
  limitsText,
  maxViewsOf,
  ShareForm,
  useShareForm,
} from '../../shared/shareform';
import { Button, buttonClass, CopyButton, Dialog, inputClass } from '../../shared/ui';
import styles from './explorer.module.css';

/** ShareDialog makes a share of a file: its terms first, then its link. */
export default function ShareDialog({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const t = useT();
  const form = useShareForm();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [slug, setSlug] = useState('');

  async function share() {
    if (!form.check()) return;
    const { values } = form;
    setBusy(true);
    setProblem('');
    try {
      const made = await shareEntry({
        path: entry.path,
        expires_in: expiresInHours(values, new Date()),
        max_views: maxViewsOf(values),
        ...(values.slug.trim() && { slug: values.slug.trim() }),
        ...(values.remark.trim() && { remark: values.remark.trim() }),
        ...(values.password && { password: values.password }),
      });
      setSlug(made.slug);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'slug_taken')
        form.refuse('slug', 'share.errors.slugTaken');
      else setProblem(errorText(error, t));
    } finally {
      setBusy(false);
    }
  }

  if (slug) return <Shared slug={slug} form={form} onClose={onClose} />;
  return (
    <Dialog
      title={t('explorer.share.title', { name: entry.name })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            variant="primary"
            busy={busy}
            icon={<Share2 size={18} aria-hidden="true" />}
            onClick={() => void share()}
          >
            {t('explorer.share.submit')}
          </Button>
        </>
      }
    >
      <ShareForm form={form} disabled={busy} />
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
    </Dialog>
  );
}

interface SharedProps {
  slug: string;
  form: ReturnType<typeof useShareForm>;
  onClose: () => void;
}

function Shared({ slug, form: { values }, onClose }: SharedProps) {
  const t = useT();
  const language = useLanguage();
  const field = useRef<HTMLInputElement>(null);
  const link = pageUrl(`/file/${slug}`);
  const [ends] = useState(() => expiresAt(values, new Date()));
  const limits = limitsText(
    { maxViews: maxViewsOf(values), expiresAt: ends, hasPassword: values.password !== '' },
    t,
    language,
  );
  return (
    <Dialog
      title={t('shareBox.title')}
      onClose={onClose}
      footer={
        <>
          <Link href={`/file/${slug}`} className={buttonClass()}>
            <ExternalLink size={18} aria-hidden="true" />
            {t('shareBox.open')}
          </Link>
          <Button onClick={onClose}>{t('common.close')}</Button>
        </>
      }
    >
      <div className={styles.form}>
        <div className={styles.linkRow}>
          <input
            ref={field}
            data-autofocus=""
            className={inputClass}
            readOnly
            value={link}
            aria-label={t('shareBox.link')}
            onFocus={(event) => event.target.select()}
          />
          <CopyButton variant="primary" text={link} label={t('shareBox.copy')} selects={field} />
        </div>
        <p className={styles.hint}>{limits}</p>
      </div>
    </Dialog>
  );
}
