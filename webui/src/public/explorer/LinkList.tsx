import { Link2Off, Pencil } from 'lucide-react';
import { Link } from 'wouter';
import { deleteCollection } from '../../api/collections';
import { errorText } from '../../api/errorText';
import type { CollectionHead } from '../../api/types';
import { pageUrl } from '../../config';
import { useT } from '../../i18n';
import { collectionsChanged } from '../../shared/query/collections';
import Told from '../../shared/shareform/Told';
import { confirm, CopyButton, IconButton, iconLinkClass, toast } from '../../shared/ui';
import styles from './explorer.module.css';

type Listed = Pick<CollectionHead, 'id' | 'slug' | 'title'>;

interface LinkListProps {
  heading: string;
  links: readonly Listed[];
  /** onEnded is called when a link is no more. */
  onEnded: () => void;
}

/** LinkList shows links for several entries; each can be copied, edited and ended. */
export function LinkList({ heading, links, onEnded }: LinkListProps) {
  const t = useT();
  if (links.length === 0) return null;

  async function end({ id }: Listed) {
    const sure = await confirm({
      title: t('explorer.share.endTitle'),
      body: t('explorer.share.endFolderBody'),
      confirmLabel: t('explorer.share.end'),
      danger: true,
    });
    if (!sure) return;
    try {
      await deleteCollection(id);
      toast.success(t('explorer.share.undone'));
      onEnded();
    } catch (error) {
      toast.error(errorText(error, t));
    }
    await collectionsChanged();
  }

  return (
    <section className={styles.requestForm}>
      <h3>{heading}</h3>
      <ul className={styles.requestList}>
        {links.map((link) => (
          <li key={link.id}>
            <span>
              {link.title} <small>/{link.slug}</small>
            </span>
            <CopyButton
              iconOnly
              text={pageUrl(`/collection/${link.slug}`)}
              label={t('explorer.share.copyOf', { name: link.slug })}
            />
            <Link
              className={iconLinkClass}
              href={`/collection/${link.slug}?edit`}
              aria-label={t('explorer.share.editOf', { name: link.slug })}
            >
              <Pencil size={18} />
            </Link>
            <IconButton label={t('explorer.share.endOf', { name: link.slug })} onClick={() => void end(link)}>
              <Link2Off size={18} />
            </IconButton>
            <div className={styles.tellLine}>
              <Told id={link.id} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
