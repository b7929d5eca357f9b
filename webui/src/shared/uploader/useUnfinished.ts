import { useStore } from '../../store';
import { begunOf, lookedFor, type Begun } from './begun';
import { uploads } from './uploads';

/**
 * useUnfinished lists the uploads that nobody is at: those of closed pages, and those that went off this page's list.
 * Those to a request are listed on its own page alone, which is named by its slug: only there does one know whom they
 * go to, and only its link, with its password, lets a sender in again.
 */
export function useUnfinished(request = ''): Begun[] {
  const { items } = useStore(uploads);
  const begun = useStore(lookedFor);
  const running = new Set(items.map(({ file }) => begunOf(file)?.id));
  return begun.filter(
    ({ id, to, folder }) => !running.has(id) && (to === 'request' ? folder === request : !request),
  );
}
