import { useStore } from '../../store';
import { begunOf, lookedFor, sending, type Begun } from './begun';
import { uploads } from './uploads';

/** useUnfinished lists the uploads that nobody is at: those of closed pages, and those that went off this page's list. */
export function useUnfinished(): Begun[] {
  const { items } = useStore(uploads);
  const sent = useStore(sending);
  const begun = useStore(lookedFor);
  const running = new Set([...items.map(({ file }) => file), ...sent].map((file) => begunOf(file)?.id));
  return begun.filter(({ id }) => !running.has(id));
}
