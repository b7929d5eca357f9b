import { toldQuery } from '../query/notifications';
import { useReading } from '../query/useReading';
import { TellMe } from './TellMe';

/** Told says whether the owner of a share is told when it is opened, and changes that. */
export default function Told({ id }: { id: string }) {
  const { data, replace } = useReading(toldQuery(id));
  return <TellMe id={id} now={data} onChange={replace} />;
}
