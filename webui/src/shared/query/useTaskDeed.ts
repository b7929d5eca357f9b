import { useMutation } from '@tanstack/react-query';
import { useT } from '../../i18n';
import { errorText } from '../../api/errorText';
import { toast } from '../ui';
import { tasksChanged } from './tasks';

/** useTaskDeed does something to tasks of the server, tells why it failed, and has their lists read again. */
export function useTaskDeed(): (deed: () => Promise<unknown>) => void {
  const t = useT();
  const { mutate } = useMutation({
    mutationFn: (deed: () => Promise<unknown>) => deed(),
    onError: (problem) => toast.error(errorText(problem, t)),
    onSettled: tasksChanged,
  });
  return mutate;
}
