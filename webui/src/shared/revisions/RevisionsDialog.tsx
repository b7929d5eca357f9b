import { textSource } from '../query/revisions';
import { Revisions } from './Revisions';

interface RevisionsDialogProps {
  /** id or slug of an own text. */
  id: string;
  name: string;
  /** onRestored is told the content that came back. */
  onRestored: (content: string) => void;
  onClose: () => void;
}

/** RevisionsDialog shows the owner of a text its earlier versions, what has changed since, and brings one back. */
export default function RevisionsDialog({ id, ...props }: RevisionsDialogProps) {
  return <Revisions source={textSource(id)} {...props} />;
}
