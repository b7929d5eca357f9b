import { readOwnCollection } from '../../../api/collections';
import { RequireAccess } from '../../../auth/RequireAccess';
import { useT } from '../../../i18n';
import { pages } from '../../../pages';
import { PageHeading, usePageTitle } from '../../../shared/page';
import { ErrorPanel } from '../../../shared/problem/ErrorPanel';
import { queryClient } from '../../../shared/query/client';
import { Queries } from '../../../shared/query/Queries';
import { useReading } from '../../../shared/query/useReading';
import { Skeleton } from '../../../shared/ui';
import { Editor } from './Editor';
import styles from './edit.module.css';

/** EditPage is where the owner of a collection changes it; opening it takes no view. */
export default function EditPage({ slug }: { slug: string }) {
  const t = useT();
  usePageTitle(t('collectionEdit.heading'));
  return (
    <div className={styles.page}>
      <PageHeading>{t('collectionEdit.heading')}</PageHeading>
      <RequireAccess page={{ ...pages.collection, guard: 'upload' }}>
        <Queries>
          <Owned slug={slug} />
        </Queries>
      </RequireAccess>
    </div>
  );
}

function Owned({ slug }: { slug: string }) {
  const key = ['collections', 'own', slug];
  const { data, error, retry, replace } = useReading({
    queryKey: key,
    queryFn: ({ signal }) => readOwnCollection(slug, signal),
    // What is edited does not change under the hands of who edits it.
    staleTime: Infinity,
    gcTime: 0,
  });
  if (error) return <ErrorPanel error={error} onRetry={retry} />;
  if (!data) return <Skeleton lines={6} />;
  return (
    <Editor
      key={data.tag}
      collection={data.value}
      tag={data.tag}
      onSaved={replace}
      onReload={() => void queryClient.resetQueries({ queryKey: key })}
    />
  );
}
