import { CloudOff } from 'lucide-react';
import { useListener } from '../../hooks/useListener';
import { TimeIn } from '../ui';
import styles from './gate.module.css';

interface OfflineCopyProps {
  /** at is when the copy was taken. */
  at: Date;
  /** onOnline reads the share itself, now that there is a network again. */
  onOnline: () => void;
}

/** OfflineCopy says above a share that it is the copy of this device, and from when. */
export function OfflineCopy({ at, onOnline }: OfflineCopyProps) {
  useListener('online', onOnline);
  return (
    <p className={styles.copy} role="status">
      <CloudOff size={18} />
      <span>
        <TimeIn sentence="shareGate.copy" value={at.toISOString()} />
      </span>
    </p>
  );
}
