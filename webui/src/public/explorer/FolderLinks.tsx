import { useT } from '../../i18n';
import { linksOfFolderQuery } from '../../shared/query/collections';
import { useReading } from '../../shared/query/useReading';
import { LinkList } from './LinkList';

interface FolderLinksProps {
  path: string;
  /** onEnded is called when a link is no more. */
  onEnded: () => void;
}

/** FolderLinks are the links that lead into a folder already. */
export function FolderLinks({ path, onEnded }: FolderLinksProps) {
  const t = useT();
  const { data = [] } = useReading(linksOfFolderQuery(path));
  return <LinkList heading={t('explorer.share.folderLinks')} links={data} onEnded={onEnded} />;
}
