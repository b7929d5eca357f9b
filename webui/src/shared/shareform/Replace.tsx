import { queryOptions } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { getFile, isReplaceable } from '../../api/files';
import type { FileDetail } from '../../api/types';
import { useSession } from '../../auth/session';
import { useLanguage, useT } from '../../i18n';
import { useStore } from '../../store';
import { formatSize } from '../format';
import { extensionChanges } from '../preview/kind';
import { Queries } from '../query/Queries';
import { useReading } from '../query/useReading';
import { ErrorPanel } from '../problem/ErrorPanel';
import { Button, confirm, Dialog, Skeleton, toast } from '../ui';
import { arrived } from '../uploader/arrived';
import { begunOf } from '../uploader/begun';
import { shareUnder } from '../uploader/transfers';
import { FilePicker } from '../uploader/FilePicker';
import { isSame } from '../uploader/queue';
import { uploads } from '../uploader/uploads';
import { UploadRow } from '../uploader/UploadRow';
import styles from './EditFile.module.css';

interface ReplaceProps {
  /** id of a file share. */
  id: string;
  /** onReplaced is called when another file is behind the link. */
  onReplaced: () => void;
  onClose: () => void;
}

/** Replace is the dialog that puts another file behind the link of an own share. What stands between them stays. */
export default function Replace({ onClose, ...offer }: ReplaceProps) {
  const t = useT();
  return (
    <Dialog
      title={t('shareEdit.replace.heading')}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('common.close')}</Button>}
    >
      <Queries>
        <Offer {...offer} />
      </Queries>
    </Dialog>
  );
}

function Offer({ id, onReplaced }: Omit<ReplaceProps, 'onClose'>) {
  const t = useT();
  const session = useSession();
  const {
    data: file,
    error,
    retry,
  } = useReading(
    queryOptions({ queryKey: ['file', id, 'detail'], queryFn: ({ signal }) => getFile(id, signal) }),
  );
  if (error) return <ErrorPanel error={error} onRetry={retry} />;
  if (!file) return <Skeleton lines={3} />;
  if (!isReplaceable(file) || !session.owns(file.created_by)) return <p>{t('shareEdit.replace.cannot')}</p>;
  return <Sending file={file} storage={file.storage_config_id} onReplaced={onReplaced} />;
}

interface SendingProps extends Pick<ReplaceProps, 'onReplaced'> {
  file: FileDetail;
  storage: string;
}

function Sending({ file, storage, onReplaced }: SendingProps) {
  const t = useT();
  const language = useLanguage();
  const input = useRef<HTMLInputElement>(null);
  const [id, setId] = useState<number>();
  const item = useStore(uploads).items.find((one) => one.id === id);

  async function ask(chosen: File) {
    const body = [
      t('shareEdit.replace.by', { name: chosen.name, size: formatSize(chosen.size, language) }),
      extensionChanges(file.filename, chosen.name) && t('shareEdit.replace.otherType'),
    ];
    const agreed = await confirm({
      title: t('shareEdit.replace.title', { name: file.filename }),
      body: body.filter(Boolean).map((line) => <p key={String(line)}>{line}</p>),
      confirmLabel: t('shareEdit.replace.confirm'),
    });
    if (agreed) await send(chosen);
  }

  async function send(chosen: File) {
    // One that has arrived elsewhere before may be sent again.
    for (const { id: done, file: other, to, status } of uploads.get().items)
      if (to === 'share' && status === 'success' && isSame(other, chosen)) uploads.remove(done);
    if (begunOf(chosen) || uploads.add([{ file: chosen }]).length > 0) {
      toast.error(t('shareEdit.replace.twice'));
      return;
    }
    const added = uploads.get().items.at(-1)?.id ?? 0;
    setId(added);
    const terms = {
      s3_config_id: storage,
      slug: file.slug,
      override: true,
      remark: file.remark ?? '',
      use_proxy: Boolean(file.use_proxy),
    };
    uploads.start(shareUnder(terms), [added]);
    if ((await arrived([added])).length === 0) return;
    uploads.remove(added);
    toast.success(t('shareEdit.replace.done'));
    onReplaced();
  }

  return (
    <div className={styles.replace}>
      <p className={styles.named} dir="auto">
        {file.filename} <small>{formatSize(file.size, language)}</small>
      </p>
      <p>{t('shareEdit.replace.hint')}</p>
      {item ? (
        <ul>
          <UploadRow item={item} onRetry={() => uploads.retry(item.id)} />
        </ul>
      ) : (
        <Button variant="primary" icon={<FileUp size={18} />} onClick={() => input.current?.click()}>
          {t('shareEdit.replace.choose')}
        </Button>
      )}
      <FilePicker
        ref={input}
        multiple={false}
        data-testid="replacement"
        onFiles={([chosen]) => chosen && void ask(chosen.file)}
      />
    </div>
  );
}
