import { useState, type MouseEvent } from 'react';
import type { PublicFile } from '../../api/types';
import { useT } from '../../i18n';
import { confirm, toast } from '../../shared/ui';

/** The addresses of an answer are good for ten minutes; after nine they are looked at before use. */
const fresh = 9 * 60_000;

/**
 * useDownload answers the click handler of a download link. A link that has
 * grown old is checked with HEAD, which takes no view; one that has run out is
 * asked for again once, after a question when that takes one of few views.
 */
export function useDownload(
  file: PublicFile,
  refresh: () => Promise<PublicFile>,
  onFresh: (file: PublicFile) => void,
): (event: MouseEvent<HTMLAnchorElement>) => void {
  const t = useT();
  const [opened, setOpened] = useState(() => Date.now());

  async function again(anchor: HTMLAnchorElement) {
    const probe = file.proxy_download_url ?? file.downloadUrl ?? anchor.href;
    const works = await fetch(probe, { method: 'HEAD', referrerPolicy: 'no-referrer' }).then(
      (response) => response.ok,
      () => false,
    );
    if (works) {
      go(anchor.href, file.filename);
      return;
    }
    const agreed =
      !file.max_views ||
      (await confirm({
        title: t('fileView.stale.title'),
        body: t('fileView.stale.body'),
        confirmLabel: t('fileView.stale.confirm'),
      }));
    if (!agreed) return;
    try {
      const next = await refresh();
      setOpened(Date.now());
      onFresh(next);
      go(next.downloadUrl ?? next.proxy_download_url ?? anchor.href, next.filename);
    } catch {
      toast.error(t('fileView.stale.failed'));
    }
  }

  return (event) => {
    if (Date.now() - opened < fresh) return;
    event.preventDefault();
    void again(event.currentTarget);
  };
}

function go(url: string, name: string) {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}
