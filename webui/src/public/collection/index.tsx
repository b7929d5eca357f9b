import { useSearch } from 'wouter';
import { peekCollection, readCollection, unlockCollection } from '../../api/collections';
import type { PublicCollection } from '../../api/types';
import { useT } from '../../i18n';
import { pages } from '../../pages';
import { GateView, useGate } from '../../shared/gate';
import { PageHeading, usePageTitle } from '../../shared/page';
import { Skeleton } from '../../shared/ui';
import { lazyView } from '../../shared/view/View';
import { CollectionView } from './CollectionView';
import styles from './collection.module.css';

const EditPage = lazyView(() => import('./edit'), 'collectionEdit', 'shareEdit', 'share', 'file');

/** CollectionPage shows several shared files; with "?edit" their owner changes them, which takes no view. */
export default function CollectionPage({ slug }: { slug: string }) {
  const asked = new URLSearchParams(useSearch());
  return asked.has('edit') ? <EditPage slug={slug} /> : <Visit slug={slug} />;
}

/** Visit is for whoever has the link, and its password where one is set. */
function Visit({ slug }: { slug: string }) {
  const t = useT();
  const control = useGate<PublicCollection>(`collection/${slug}`, {
    peek: async (signal) => {
      const seen = await peekCollection(slug, signal);
      return { requiresPassword: seen.requires_password, isLastView: seen.isLastView ?? false };
    },
    read: (signal) => readCollection(slug, {}, signal),
    unlock: (password, signal) => unlockCollection(slug, password, {}, signal),
  });
  const { gate } = control;
  // A protected one tells its title only to those who have the password.
  usePageTitle((gate.state === 'open' && gate.share.title) || t(pages.collection.title));

  return (
    <GateView
      control={control}
      title={t('collection.place')}
      loading={
        <div className={styles.page}>
          <PageHeading className="visually-hidden">{t('collection.place')}</PageHeading>
          <Skeleton lines={2} />
          <Skeleton height={320} />
        </div>
      }
    >
      {(collection, password) => (
        <CollectionView
          collection={collection}
          refresh={(part) => (password ? unlockCollection(slug, password, part) : readCollection(slug, part))}
          look={async (part) => {
            const seen = await readCollection(slug, part);
            return seen.requires_password && password ? unlockCollection(slug, password, part) : seen;
          }}
        />
      )}
    </GateView>
  );
}
