import { useState, type MouseEvent } from 'react';
import { useT } from '../../i18n';
import { confirm, toast } from '../ui';

/** The addresses of an answer are good for ten minutes; after nine they are looked at before use. */
const fresh = 9 * 60_000;

/** Lent is a file whose address an answer has lent to its visitor for a while. */
interface Lent {
  name: string;
  /** probe is an address of it that HEAD asks without taking a view. */
  probe: string;
  /** renew asks for the share again, tells the page, and answers the new address; it may take a view. */
  renew: () => Promise<string>;
}

/**
 * useDownload answers what makes the click handler of a download link. A link that
 * has grown old is checked with HEAD, which takes no view; one that has run out is
 * asked for again once, after a question when the share has a limit of views.
 */
export function useDownload(limited: boolean) {
  const t = useT();
  const [opened, setOpened] = useState(() => Date.now());

  async function again({ name, probe, renew }: Lent, href: string) {
    const works = await fetch(probe, { method: 'HEAD', referrerPolicy: 'no-referrer' }).then(
      (response) => response.ok,
      () => false,
    );
    if (works) {
      go(href, name);
      return;
    }
    const agreed =
      !limited ||
      (await confirm({
        title: t('preview.stale.title'),
        body: t('preview.stale.body'),
        confirmLabel: t('preview.stale.confirm'),
      }));
    if (!agreed) return;
    try {
      const url = await renew();
      setOpened(Date.now());
      go(url, name);
    } catch {
      toast.error(t('preview.stale.failed'));
    }
  }

  return (lent: Lent) => (event: MouseEvent<HTMLAnchorElement>) => {
    if (Date.now() - opened < fresh) return;
    event.preventDefault();
    void again(lent, event.currentTarget.href);
  };
}

function go(url: string, name: string) {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}
