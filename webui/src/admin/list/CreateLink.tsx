import { Plus } from 'lucide-react';
import { buttonClass } from '../../shared/ui';
import { Link } from '../router';

/** CreateLink is the primary action of a list: it leads to the form of a new row. */
export function CreateLink({ to, label }: { to: string; label: string }) {
  return (
    <Link className={buttonClass('primary')} to={to}>
      <Plus size={18} />
      <span>{label}</span>
    </Link>
  );
}
