import { peekFile, readFile, unlockFile } from '../../api/files';
import type { PublicFile } from '../../api/types';
import { useT } from '../../i18n';
import { pages } from '../../pages';
import { GateView, useGate } from '../../shared/gate';
import { PageHeading, usePageTitle } from '../../shared/page';
import { prepare } from '../../shared/preview';
import { Skeleton } from '../../shared/ui';
import { FileView } from './FileView';
import styles from './file.module.css';

/** FilePage shows one shared file to whoever has its link, and its password where one is set. */
export default function FilePage({ slug }: { slug: string }) {
  const t = useT();
  const control = useGate<PublicFile>(`file/${slug}`, {
    peek: async (signal) => {
      const seen = await peekFile(slug, signal);
      const { filename, mimetype } = seen;
      // After the call that opens the file, which must not stand in line behind it.
      if (filename) setTimeout(() => prepare({ filename, mimetype: mimetype ?? '', type: 0 }));
      return { requiresPassword: seen.requires_password, isLastView: seen.isLastView ?? false };
    },
    read: (signal) => readFile(slug, signal),
    unlock: (password, signal) => unlockFile(slug, password, signal),
  });
  const { gate } = control;
  // A protected file tells its name only to those who have the password.
  usePageTitle(gate.state === 'open' ? gate.share.filename : t(pages.file.title));

  return (
    <GateView
      control={control}
      title={t('fileView.place')}
      loading={
        <div className={styles.page}>
          <PageHeading className="visually-hidden">{t('fileView.place')}</PageHeading>
          <Skeleton lines={2} />
          <Skeleton height={320} />
        </div>
      }
    >
      {(file, password) => <FileView file={file} password={password} />}
    </GateView>
  );
}
