import { Link2Off, Pencil } from 'lucide-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { errorText } from '../../api/errorText';
import { deleteFiles, fileDownloadUrl } from '../../api/files';
import type { Mark } from '../../api/fs';
import { pageUrl } from '../../config';
import { useLanguage, useT } from '../../i18n';
import { parseTime } from '../../shared/format';
import { lazyPart } from '../../shared/lazyPart';
import { toldQuery } from '../../shared/query/notifications';
import { useReading } from '../../shared/query/useReading';
import { limitsText } from '../../shared/shareform';
import { ShareLink } from '../../shared/shareform/ShareLink';
import { Button, confirm, CopyButton, toast } from '../../shared/ui';
import styles from './share.module.css';

const EditFile = lazyPart(() => import('../../shared/shareform/EditFile'), 'shareEdit', 'share');

interface ShareCardProps {
  mark: Mark;
  /** password is known right after the share was made. */
  password?: string;
  /** copied says that the link is on the clipboard already. */
  copied?: boolean;
  /** focused puts the focus into the link. */
  focused?: boolean;
  /** onChanged is told what the share has become; undefined after it was ended. */
  onChanged: (mark: Mark | undefined) => void;
}

/** ShareCard is the link of one share of a file, with all that can be done with it. */
export function ShareCard({ mark, password = '', copied = false, focused, onChanged }: ShareCardProps) {
  const t = useT();
  const language = useLanguage();
  const field = useRef<HTMLInputElement>(null);
  const [editing, setEditing] = useState(false);
  const path = `/file/${mark.slug}`;
  const { data: told, replace } = useReading(toldQuery(mark.id));
  const limits = limitsText(
    {
      maxViews: mark.max_views ?? 0,
      expiresAt: mark.expires_at ? parseTime(mark.expires_at) : null,
      hasPassword: mark.has_password,
    },
    t,
    language,
  );
  useEffect(() => {
    if (focused) field.current?.focus();
  }, [focused]);

  async function end() {
    const sure = await confirm({
      title: t('explorer.share.endTitle'),
      body: t('explorer.share.endBody'),
      confirmLabel: t('explorer.share.end'),
      danger: true,
    });
    if (!sure) return;
    try {
      await deleteFiles([mark.id], 'record_only');
      toast.success(t('explorer.share.undone'));
      onChanged(undefined);
    } catch (error) {
      toast.error(errorText(error, t));
    }
  }

  return (
    <section className={styles.card} aria-label={pageUrl(path)}>
      <ShareLink
        path={path}
        limits={`${limits} ${mark.views > 0 ? t('explorer.share.views', mark.views) : ''}`}
        password={password}
        copied={copied}
        field={field}
        telling={{ id: mark.id, now: told, onChange: replace }}
      >
        {!mark.has_password && (
          <CopyButton
            text={new URL(fileDownloadUrl(mark.slug), location.origin).href}
            label={t('explorer.share.copyDirect')}
          />
        )}
        <Button icon={<Pencil size={18} />} onClick={() => setEditing(true)}>
          {t('explorer.share.edit')}
        </Button>
        <Button icon={<Link2Off size={18} />} onClick={() => void end()}>
          {t('explorer.share.end')}
        </Button>
      </ShareLink>
      {editing && (
        <Suspense fallback={null}>
          <EditFile
            file={{ ...mark, filename: mark.name }}
            hasPassword={mark.has_password}
            onClose={() => setEditing(false)}
            onSaved={(change, secret) => {
              setEditing(false);
              onChanged({
                ...mark,
                ...change,
                has_password: secret === undefined ? mark.has_password : secret !== '',
              });
            }}
          />
        </Suspense>
      )}
    </section>
  );
}
