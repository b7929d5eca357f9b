import { X } from 'lucide-react';
import { useLanguage, useT } from '../../i18n';
import { formatOver } from '../../shared/format';
import { IconButton } from '../../shared/ui';
import styles from './upload.module.css';

/** A Rejection is a file that was not put on the list. Size in bytes. */
export interface Rejection {
  name: string;
  size: number;
  why: 'tooLarge' | 'twice' | 'uploaded';
}

interface RejectedProps {
  list: readonly Rejection[];
  /** limit in bytes */
  limit: number;
  onClose: () => void;
}

/** Rejected names every file that was left out, with the reason. */
export function Rejected({ list, limit, onClose }: RejectedProps) {
  const t = useT();
  const language = useLanguage();
  return (
    <div role="alert">
      {list.length > 0 && (
        <div className={styles.rejected}>
          <div>
            <p className={styles.strong}>{t('file.rejected.title')}</p>
            <ul>
              {list.map(({ name, size, why }, index) => (
                <li key={index}>
                  {t(`file.rejected.${why}`, { name, ...formatOver(size, limit, language) })}
                </li>
              ))}
            </ul>
          </div>
          <IconButton label={t('file.rejected.close')} onClick={onClose}>
            <X size={20} />
          </IconButton>
        </div>
      )}
    </div>
  );
}
