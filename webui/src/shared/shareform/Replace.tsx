import { queryOptions } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { getFile } from '../../api/files';
import type { FileDetail } from '../../api/types';
import { useSession } from '../../auth/session';
import { useLanguage, useT } from '../../i18n';
import { useStore } from '../../store';
import { formatSize } from '../format';
import { extensionChanges } from '../preview/kind';
import { Queries } from '../query/Queries';
import { useReading } from '../query/useReading';
import { Button, confirm, toast } from '../ui';
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
  /** isEdited tells whether the form around it has changes that are not saved. */
  isEdited: () => boolean;
  /** onReplaced is called when another file is behind the link. */
  onReplaced: () => void;
}

/** Replace puts another file behind the link of an own share. What stands between the link and the file stays. */
export default function Replace(props: ReplaceProps) {
  return (
    <Queries>
      <Offer {...props} />
    </Queries>
  );
}

function Offer({ id, isEdited, onReplaced }: ReplaceProps) {
  const session = useSession();
  const { data: file } = useReading(
    queryOptions({ queryKey: ['file', id, 'detail'], queryFn: ({ signal }) => getFile(id, signal) }),
  );
  if (!file?.storage_config_id || file.file_path || file.collection) return null;
  return (
    session.owns(file.created_by) && (
      <Sending file={file} storage={file.storage_config_id} isEdited={isEdited} onReplaced={onReplaced} />
    )
  );
}

interface SendingProps extends Pick<ReplaceProps, 'isEdited' | 'onReplaced'> {
  file: FileDetail;
  storage: string;
}

function Sending({ file, storage, isEdited, onReplaced }: SendingProps) {
  const t = useT();
  const language = useLanguage();
  const input = useRef<HTMLInputElement>(null);
  const [id, setId] = useState<number>();
  const item = useStore(uploads).items.find((one) => one.id === id);

  async function ask(chosen: File) {
    const body = [
      t('shareEdit.replace.by', { name: chosen.name, size: formatSize(chosen.size, language) }),
      extensionChanges(file.filename, chosen.name) && t('shareEdit.replace.otherType'),
      isEdited() && t('shareEdit.replace.edits'),
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
      {item ? (
        <ul>
          <UploadRow item={item} onRetry={() => uploads.retry(item.id)} />
        </ul>
      ) : (
        <Button icon={<FileUp size={18} aria-hidden="true" />} onClick={() => input.current?.click()}>
          {t('shareEdit.replace.choose')}
        </Button>
      )}
      <p>{t('shareEdit.replace.hint')}</p>
      <FilePicker
        ref={input}
        multiple={false}
        data-testid="replacement"
        onFiles={([chosen]) => chosen && void ask(chosen.file)}
      />
    </div>
  );
}
