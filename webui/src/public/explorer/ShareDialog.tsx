import { Share2 } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { ApiError } from '../../api/client';
import { createCollection } from '../../api/collections';
import { errorText } from '../../api/errorText';
import { listMarks, shareEntry, type Entry, type Mark } from '../../api/fs';
import { pageUrl } from '../../config';
import { useT } from '../../i18n';
import { copyText } from '../../shared/clipboard';
import { collectionsChanged } from '../../shared/query/collections';
import { downloadsWrong, noSeveral, SeveralFields, severalOf } from '../../shared/several';
import { expiresAt, expiresInHours, maxViewsOf, ShareForm, useShareForm } from '../../shared/shareform';
import { ShareLink } from '../../shared/shareform/ShareLink';
import { Button, Dialog, SelectField } from '../../shared/ui';
import { latchOf } from '../../shared/visits/latch';
import styles from './explorer.module.css';
import share from './share.module.css';
import { FolderLinks } from './FolderLinks';
import { parentOf } from './place';
import { ShareCard } from './ShareCard';

/** Made is a share that was just made. */
interface Made {
  mark: Mark;
  password: string;
  /** copied says that its link is on the clipboard. */
  copied: boolean;
}

/** What of an entry its share needs. */
export type Sharable = Pick<Entry, 'path' | 'name' | 'isDirectory'>;

interface ShareDialogProps {
  /** entries are what goes by one link: at least one, all of one mount. */
  entries: readonly [Sharable, ...Sharable[]];
  /** onShared is called whenever the shares of the file are others than before. */
  onShared: () => void;
  onClose: () => void;
}

/** ShareDialog makes a share of a file, a folder or several of them: its terms first, then its link. */
export default function ShareDialog({ entries, onShared, onClose }: ShareDialogProps) {
  const t = useT();
  const [entry] = entries;
  const isOne = entries.length === 1;
  const form = useShareForm();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [shows, setShows] = useState<'live' | 'stood'>('live');
  const [several, setSeveral] = useState(noSeveral);
  const isSeveral = !isOne || entry.isDirectory;
  const [made, setMade] = useState<Made>();
  const field = useRef<HTMLInputElement>(null);
  const [madeFolder, setMadeFolder] = useState<Omit<Made, 'mark'> & { id: string; slug: string }>();

  async function create() {
    if (!form.check()) return;
    if (isSeveral && downloadsWrong(several)) {
      form.lead();
      return;
    }
    const { values } = form;
    setBusy(true);
    setProblem('');
    try {
      const now = new Date();
      if (isSeveral) {
        const { id, slug } = await createCollection({
          ...(isOne ? { folder: entry.path } : { paths: entries.map(({ path }) => path) }),
          expires_in: expiresInHours(values, now),
          max_views: maxViewsOf(values),
          ...latchOf(values),
          title: values.remark.trim(),
          ...(shows === 'stood' && { as_it_stood: true }),
          ...severalOf(several),
          ...(values.slug.trim() && { slug: values.slug.trim() }),
          ...(values.password && { password: values.password }),
        });
        const copied = await copyText(pageUrl(`/collection/${slug}`));
        void collectionsChanged();
        onShared();
        setMadeFolder({ id, slug, password: values.password, copied });
        return;
      }
      const { fileId, slug } = await shareEntry({
        path: entry.path,
        expires_in: expiresInHours(values, now),
        max_views: maxViewsOf(values),
        ...latchOf(values),
        ...(values.slug.trim() && { slug: values.slug.trim() }),
        ...(values.remark.trim() && { remark: values.remark.trim() }),
        ...(values.password && { password: values.password }),
      });
      onShared();
      const copied = await copyText(pageUrl(`/file/${slug}`));
      const mark = await asShared(entry, {
        name: entry.name,
        id: fileId,
        slug,
        remark: values.remark.trim() || null,
        has_password: values.password !== '',
        expires_at: expiresAt(values, now)?.toISOString() ?? null,
        max_views: maxViewsOf(values) || null,
        views: 0,
        use_proxy: 1,
        created_at: now.toISOString(),
      });
      setMade({ mark, password: values.password, copied });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'slug_taken')
        form.refuse('slug', 'share.errors.slugTaken');
      else setProblem(errorText(error, t));
    } finally {
      setBusy(false);
    }
  }

  if (made) {
    const changed = (mark: Mark | undefined) => {
      onShared();
      if (mark) setMade({ ...made, mark, copied: false, password: mark.has_password ? made.password : '' });
      else onClose();
    };
    return <Shared made={made} onChanged={changed} onClose={onClose} />;
  }
  if (madeFolder) {
    return (
      <MadeDialog onClose={onClose}>
        <section className={share.card}>
          <ShareLink
            path={`/collection/${madeFolder.slug}`}
            limits={t(
              shows === 'stood'
                ? 'explorer.share.stood'
                : isOne
                  ? 'explorer.share.folderLive'
                  : 'explorer.share.someLive',
            )}
            password={madeFolder.password}
            copied={madeFolder.copied}
            field={field}
            telling={{ id: madeFolder.id, now: false }}
          />
        </section>
      </MadeDialog>
    );
  }
  return (
    <Dialog
      title={
        isOne ? t('explorer.share.title', { name: entry.name }) : t('explorer.share.titleOf', entries.length)
      }
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button variant="primary" busy={busy} icon={<Share2 size={18} />} onClick={() => void create()}>
            {t('explorer.share.submit')}
          </Button>
        </>
      }
    >
      <div className={styles.requestForm} data-form="">
        <ShareForm form={form} disabled={busy}>
          {isSeveral && (
            <>
              <SelectField
                className={share.across ?? ''}
                label={t('explorer.share.shows')}
                hint={t(`explorer.share.showsHint.${shows}`)}
                value={shows}
                choices={(['live', 'stood'] as const).map((value) => ({
                  value,
                  label: t(`explorer.share.showsChoice.${value}`),
                }))}
                onChange={(event) => setShows(event.target.value as typeof shows)}
              />
              <SeveralFields several={several} onChange={(change) => setSeveral({ ...several, ...change })} />
            </>
          )}
        </ShareForm>
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
        {isOne && entry.isDirectory && <FolderLinks path={entry.path} onEnded={onShared} />}
      </div>
    </Dialog>
  );
}

interface SharedProps {
  made: Made;
  onChanged: (mark: Mark | undefined) => void;
  onClose: () => void;
}

function Shared({ made: { mark, password, copied }, onChanged, onClose }: SharedProps) {
  return (
    <MadeDialog onClose={onClose}>
      <ShareCard focused mark={mark} password={password} copied={copied} onChanged={onChanged} />
    </MadeDialog>
  );
}

/** MadeDialog shows the link that was made. */
function MadeDialog({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const t = useT();
  return (
    <Dialog
      wide="medium"
      title={t('shareBox.title')}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('common.close')}</Button>}
    >
      {children}
    </Dialog>
  );
}

/** asShared is the new share as the server keeps it: the site may allow less than was asked for. */
async function asShared(entry: Sharable, asked: Mark): Promise<Mark> {
  const { shares } = await listMarks(parentOf(entry.path)).catch(() => ({ shares: [] }));
  return shares.find(({ id }) => id === asked.id) ?? asked;
}
