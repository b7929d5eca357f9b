import { useMutation, useQueryClient } from '@tanstack/react-query';
import { makeOwnChannel, pushKey } from '../../api/notifications';
import { useLanguage, useT } from '../../i18n';
import { browserName, Refused, subscribe } from '../../shared/notify/browser';
import { tellError } from '../../shared/offline/tellError';
import { browserQuery } from '../../shared/query/browser';
import { ownChannelsQuery } from '../../shared/query/notifications';
import { Button, toast } from '../../shared/ui';
import { messageLanguage } from '../../shared/notify/parts';
import { usualKinds } from './OwnForm';

/** ThisBrowser has messages sent to the browser that shows the page, after one click. */
export function ThisBrowser({ disabled }: { disabled: boolean }) {
  const t = useT();
  const language = useLanguage();
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: async () =>
      makeOwnChannel({
        ...(await subscribe(await pushKey())),
        name: browserName(navigator.userAgent, t('channels.own.thisBrowser')),
        kinds: [...usualKinds],
        language: messageLanguage(language),
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: browserQuery.queryKey });
      await client.invalidateQueries({ queryKey: ownChannelsQuery.queryKey });
    },
    onError: (error) => {
      if (error instanceof Refused) toast.error(t('channels.own.browserRefused'));
      else if (error instanceof DOMException) toast.error(t('channels.own.browserUnable'));
      else tellError(error, t);
    },
  });
  return (
    <Button variant="primary" disabled={disabled} busy={add.isPending} onClick={() => add.mutate()}>
      {t('channels.own.addBrowser')}
    </Button>
  );
}
