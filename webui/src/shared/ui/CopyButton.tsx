import { Check, Copy } from 'lucide-react';
import { useState, type RefObject } from 'react';
import { useTimer } from '../../hooks/useTimer';
import { useT } from '../../i18n';
import { copyText } from '../clipboard';
import { Button } from './Button';
import { IconButton } from './IconButton';
import { toast } from './toasts';

interface CopyButtonProps {
  text: string | (() => string);
  /** label says what is copied: "Copy link". */
  label: string;
  variant?: 'primary' | 'plain' | 'quiet';
  /** iconOnly shows the label as a tooltip only. */
  iconOnly?: boolean;
  className?: string;
  /** selects is the field that is selected for the user when copying is not possible. */
  selects?: RefObject<HTMLInputElement | HTMLTextAreaElement | null>;
}

/** CopyButton copies a text and says for two seconds that it did. */
export function CopyButton({
  text,
  label,
  variant = 'plain',
  iconOnly = false,
  className,
  selects,
}: CopyButtonProps) {
  const t = useT();
  const [copied, setCopied] = useState(false);

  useTimer(() => setCopied(false), copied ? 2000 : undefined);

  async function copy() {
    if (await copyText(typeof text === 'string' ? text : text())) {
      setCopied(true);
    } else {
      selects?.current?.select();
      toast.warning(t('common.copyFailed'));
    }
  }

  const icon = copied ? <Check size={18} /> : <Copy size={18} />;
  return (
    <>
      {iconOnly ? (
        <IconButton label={label} onClick={() => void copy()}>
          {icon}
        </IconButton>
      ) : (
        <Button variant={variant} className={className} title={label} icon={icon} onClick={() => void copy()}>
          {label}
        </Button>
      )}
      <span className="visually-hidden" role="status">
        {copied ? t('common.copied') : ''}
      </span>
    </>
  );
}
