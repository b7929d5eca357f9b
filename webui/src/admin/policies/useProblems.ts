import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { checkRules, type Problem, type Rules } from '../../api/admin/operations';
import { useSettled } from '../../hooks/useTimer';
import { queryClient } from '../../shared/query/client';

const none: readonly Problem[] = [];
const rest = 600; // milliseconds without a change before rules are looked at

/** problemsIn is what is wrong with rules, failed tests among it. */
async function problemsIn(files: Rules, signal: AbortSignal): Promise<readonly Problem[]> {
  const { problems, tests } = await checkRules(files, signal);
  const failed = tests.filter(({ passed }) => !passed);
  return [
    ...problems,
    ...failed.map(({ file, row, name, message }) => ({
      file,
      row,
      column: 1,
      code: 'test',
      message: `${name}: ${message}`,
    })),
  ];
}

/**
 * useProblems has the server look at rules while they are written, and tells what is wrong with them. Nobody is asked
 * for a password meanwhile: where one is needed, or the network is away, nothing is told.
 */
export function useProblems(files: Rules | undefined): readonly Problem[] {
  const settled = useSettled(files, rest);
  const { data } = useQuery(
    {
      queryKey: ['problems', settled],
      queryFn: settled ? ({ signal }) => problemsIn(settled, signal) : skipToken,
      placeholderData: keepPreviousData,
    },
    queryClient,
  );
  return (files && data) ?? none;
}
