import { lazy, Suspense, useState, type ReactNode } from 'react';
import { ApiError } from '../../api/errors';
import type { Tagged } from '../../api/tagged';
import { useT } from '../../i18n';
import { textOf, type Lines } from './changes';

const ConflictDialog = lazy(() =>
  import('../../shared/editor/ConflictDialog').then((module) => ({ default: module.ConflictDialog })),
);

type Choice = 'overwrite' | 'reload' | 'close';
type Shown = 'title' | 'body' | 'mine' | 'theirs' | 'added' | 'removed' | 'reload' | 'overwrite';

interface Asked {
  base: string;
  mine: string;
  theirs: string;
  choose: (choice: Choice) => void;
}

interface Saving<T, R> {
  /** tag is that of the version which the form was filled from. */
  tag: string;
  send: (tag: string) => Promise<R>;
  /** load reads what is stored now. */
  load: () => Promise<Tagged<T>>;
  /** base is what the form was filled with. */
  base: Lines;
  mine: Lines;
  linesOf: (theirs: T) => Lines;
  /** reload fills the form with what is stored now. */
  reload: (now: Tagged<T>) => void;
}

/**
 * useConflict saves what nobody else has changed meanwhile, and asks where somebody has. `save` gives what the server
 * answered, or nothing when the form took the other version; `dialog` stands beside the form.
 */
export function useConflict(): {
  save: <T, R>(saving: Saving<T, R>) => Promise<{ done: R } | undefined>;
  dialog: ReactNode;
} {
  const t = useT();
  const [asked, setAsked] = useState<Asked>();

  function ask(base: Lines, mine: Lines, theirs: Lines): Promise<Choice> {
    const words = { on: t('admin.words.on'), off: t('admin.words.off') };
    return new Promise((choose) =>
      setAsked({
        base: textOf(base, words),
        mine: textOf(mine, words),
        theirs: textOf(theirs, words),
        choose,
      }),
    );
  }

  async function save<T, R>({ tag, send, load, base, mine, linesOf, reload }: Saving<T, R>) {
    for (let seen = tag; ;) {
      try {
        return { done: await send(seen) };
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 412)) throw error;
        const now = await load();
        const choice = await ask(base, mine, linesOf(now.value));
        if (choice === 'close') throw error;
        if (choice === 'reload') {
          reload(now);
          return undefined;
        }
        seen = now.tag;
      }
    }
  }

  const choose = (choice: Choice) => {
    setAsked(undefined);
    asked?.choose(choice);
  };
  const dialog = asked && (
    <Suspense fallback={null}>
      <ConflictDialog
        say={(word) => t(`admin.conflict.${word as Shown}`)}
        base={asked.base}
        mine={asked.mine}
        theirs={asked.theirs}
        onOverwrite={() => choose('overwrite')}
        onReload={() => choose('reload')}
        onClose={() => choose('close')}
      />
    </Suspense>
  );
  return { save, dialog };
}
