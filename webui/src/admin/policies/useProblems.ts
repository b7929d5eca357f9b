import { useEffect, useState } from 'react';
import { checkRules, type Problem, type Rules } from '../../api/admin/operations';

const none: readonly Problem[] = [];
const rest = 600; // milliseconds without a change before rules are looked at

/**
 * useProblems has the server look at rules while they are written, and tells what is wrong with them. Nobody is asked
 * for a password meanwhile: where one is needed, or the network is away, nothing is told.
 */
export function useProblems(files: Rules | undefined): readonly Problem[] {
  const [found, setFound] = useState(none);
  useEffect(() => {
    if (!files) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      checkRules(files, stop.signal).then(
        ({ problems, tests }) =>
          setFound([
            ...problems,
            ...tests
              .filter(({ passed }) => !passed)
              .map(({ file, row, name, message }) => ({
                file,
                row,
                column: 1,
                code: 'test',
                message: `${name}: ${message}`,
              })),
          ]),
        () => undefined,
      );
    }, rest);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [files]);
  return files ? found : none;
}
