import { WrapText } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '../../i18n';
import { Button, Segmented } from '../ui';
import styles from './bar.module.css';

/** shortClass is a button of the bar whose words give way where it is narrow; its title must say them. */
export const shortClass = styles.short;
/** roomyClass is one that is in the menu where the bar is narrow. */
export const roomyClass = styles.roomy;

interface TextBarProps {
  /** forms are how the text can be shown and what belongs to them; they stand at the left. */
  forms?: ReactNode;
  /** formsRef is the place of the forms, where they come from what shows the text. */
  formsRef?: (element: HTMLElement | null) => void;
  /** stays keeps the bar in sight while the page scrolls. */
  stays?: boolean;
  /** children are what can be done with the text, in the order copy, download, QR code, export, more. */
  children?: ReactNode;
}

/** TextBar is the one line of tools above a text, of a share as of a file. */
export function TextBar({ forms, formsRef, stays, children }: TextBarProps) {
  return (
    <div className={styles.bar} data-stays={stays || undefined}>
      <div ref={formsRef} className={styles.forms}>
        {forms}
      </div>
      {children && <div className={styles.doings}>{children}</div>}
    </div>
  );
}

interface TextFormsProps<M extends string> {
  label: string;
  value: M;
  choices: readonly { value: M; label: string }[];
  onChange: (value: M) => void;
  /** wrap says whether long lines are broken; undefined where the form has none of its own. */
  wrap: boolean | undefined;
  onWrap: (wrap: boolean) => void;
  /** toolsRef is where the form may put more, such as its outline. */
  toolsRef: (element: HTMLElement | null) => void;
}

/** TextForms are the forms of a text, and whether its lines are broken. */
export function TextForms<M extends string>({
  label,
  value,
  choices,
  onChange,
  wrap,
  onWrap,
  toolsRef,
}: TextFormsProps<M>) {
  const t = useT();
  return (
    <>
      <Segmented label={label} value={value} onChange={onChange} choices={choices} />
      <div ref={toolsRef} className={styles.tools}>
        {wrap !== undefined && (
          <Button
            variant="quiet"
            className={styles.short}
            icon={<WrapText size={18} />}
            title={`${t('common.wrap')} (Alt+Z)`}
            aria-pressed={wrap}
            aria-keyshortcuts="Alt+Z"
            onClick={() => onWrap(!wrap)}
          >
            {t('common.wrap')}
          </Button>
        )}
      </div>
    </>
  );
}
