import { ChevronRight, Ellipsis, HardDrive } from 'lucide-react';
import { useRef, type Ref } from 'react';
import { Link, useLocation } from 'wouter';
import { useT } from '../../i18n';
import { IconButton, Menu } from '../../shared/ui';
import { dropTarget } from './drag';
import styles from './explorer.module.css';
import { hrefOf, nameOf, segmentsOf } from './place';
import { useWidth } from '../../hooks/useWidth';

interface CrumbsProps {
  path: string;
  base: string;
  /** file is the name of the file that is shown. */
  file?: string;
  /** headingRef makes that name the heading of what is shown. */
  headingRef?: Ref<HTMLHeadingElement> | undefined;
  onType: () => void;
}

/** Steps that are shown; of a longer way the middle folds into a menu. */
const shown = 4;
/** On less width than this, in px, only the last two are, so that their names can be read. */
const roomy = 420;

/** Crumbs is the way from the root to here; a click beside it asks for a path. */
export function Crumbs({ path, base, file = '', headingRef, onType }: CrumbsProps) {
  const t = useT();
  const [, go] = useLocation();
  const below = segmentsOf(path).slice(segmentsOf(base).length);
  const steps = below.map((name, at) => ({
    name,
    path: `/${[...segmentsOf(base), ...below.slice(0, at + 1)].join('/')}`,
  }));
  const nav = useRef<HTMLElement>(null);
  const narrow = useWidth(nav) < roomy;
  const last = narrow && file ? 1 : 2;
  const hidden = steps.length > (narrow ? last : shown) ? steps.slice(narrow ? 0 : 1, -last) : [];
  const visible = steps.filter((step) => !hidden.includes(step));
  const root = base === '/' ? t('explorer.root') : nameOf(base);
  return (
    <nav ref={nav} className={styles.crumbs} aria-label={t('explorer.crumbs.label')}>
      <ol>
        <li>
          <Link
            href={hrefOf(base)}
            aria-label={root}
            aria-current={path === base && !file ? 'page' : undefined}
            draggable={false}
            {...(base !== '/' && dropTarget(base))}
          >
            <HardDrive size={18} />
            <span>{root}</span>
          </Link>
        </li>
        {visible.map((step, at) => (
          <li key={step.path}>
            <ChevronRight size={16} />
            {at === (narrow ? 0 : 1) && hidden.length > 0 && (
              <>
                <Menu
                  label={t('explorer.crumbs.hidden')}
                  items={hidden.map((folder) => ({ label: folder.name, run: () => go(hrefOf(folder.path)) }))}
                  button={(attributes) => (
                    <IconButton label={t('explorer.crumbs.hidden')} {...attributes}>
                      <Ellipsis size={18} />
                    </IconButton>
                  )}
                />
                <ChevronRight size={16} />
              </>
            )}
            <Link
              href={hrefOf(step.path)}
              aria-current={step.path === path && !file ? 'page' : undefined}
              draggable={false}
              {...dropTarget(step.path)}
            >
              <span dir="auto">{step.name}</span>
            </Link>
          </li>
        ))}
        {file && (
          <li>
            <ChevronRight size={16} />
            {headingRef ? (
              <h2 ref={headingRef} tabIndex={-1} aria-current="page" title={file}>
                {file}
              </h2>
            ) : (
              <span aria-current="page">{file}</span>
            )}
          </li>
        )}
      </ol>
      <button
        type="button"
        className={styles.typePath}
        aria-keyshortcuts="Control+L"
        aria-label={t('explorer.goTo.title')}
        title={t('explorer.goTo.title')}
        onClick={onType}
      />
    </nav>
  );
}
