import { ChevronDown, CornerUpLeft, LogOut } from 'lucide-react';
import { useId } from 'react';
import { useStore } from 'react-admin';
import { linksFor, useSession } from '../../auth/session';
import { leave } from '../../shared/leave';
import { useT } from '../../i18n';
import { addressOf, pages as site } from '../../pages';
import { pageAt, usablePages, type PanelPage } from '../pages';
import { Link, useLocation, useNavigate } from '../router';
import styles from './Frame.module.css';

const groups = ['settings', 'system'] as const;

interface PanelMenuProps {
  onChoose?: () => void;
  /** siteLinks has the links of the header below, where that has no menu of its own. */
  siteLinks?: boolean;
}

/** show brings an item into sight in a menu that is longer than its place; the page beside it stays where it is. */
function show(item: HTMLLIElement | null) {
  const side = item?.closest('aside');
  if (!item || !side) return;
  const [place, at] = [side.getBoundingClientRect(), item.getBoundingClientRect()];
  side.scrollTop += Math.max(0, at.bottom - place.bottom + 8) + Math.min(0, at.top - place.top - 8);
}

/** PanelMenu lists the pages that the session may use, those of a group under its heading. */
export function PanelMenu({ onChoose, siteLinks = false }: PanelMenuProps) {
  const t = useT();
  const session = useSession();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const usable = usablePages(session);
  const here = pageAt(pathname);
  const item = (page: PanelPage) => (
    <li key={page.path} ref={page === here ? show : undefined}>
      <Link
        to={`/admin${page.path && `/${page.path}`}`}
        className={styles.item}
        aria-current={page === here ? 'page' : undefined}
        onClick={onChoose}
      >
        <page.icon size={18} />
        <span>{t(page.title)}</span>
      </Link>
    </li>
  );
  return (
    <nav aria-label={t('admin.menu')} className={styles.menu}>
      <ul>{usable.filter((page) => !page.group).map(item)}</ul>
      {groups.map((group) => {
        const members = usable.filter((page) => page.group === group);
        return members.length === 0 ? null : (
          <Group key={group} name={group} active={here?.group === group}>
            {members.map(item)}
          </Group>
        );
      })}
      {siteLinks && (
        <ul className={styles.site}>
          {linksFor(session)
            .filter((page) => page !== site.admin)
            .map((page) => (
              <li key={page.path}>
                <Link to={addressOf(page)} className={styles.item} onClick={onChoose}>
                  <CornerUpLeft size={18} />
                  <span>{t(page.link)}</span>
                </Link>
              </li>
            ))}
        </ul>
      )}
      <ul>
        <li>
          <button
            type="button"
            className={styles.item}
            onClick={() => {
              void leave(t).then((left) => left && navigate('/admin', { replace: true }));
            }}
          >
            <LogOut size={18} />
            <span>{t('admin.signOut')}</span>
          </button>
        </li>
      </ul>
    </nav>
  );
}

interface GroupProps {
  name: (typeof groups)[number];
  active: boolean;
  children: React.ReactNode;
}

/** Group can be folded, but stays open while one of its pages is shown. */
function Group({ name, active, children }: GroupProps) {
  const t = useT();
  const id = useId();
  const [opened, setOpened] = useStore<Partial<Record<GroupProps['name'], boolean>>>('menu', {});
  const open = active || opened[name] === true;
  return (
    <>
      <button
        type="button"
        className={`${styles.item} ${styles.group}`}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => {
          if (!active) setOpened({ ...opened, [name]: !open });
        }}
      >
        <ChevronDown size={18} className={open ? '' : styles.folded} />
        <span>{t(`admin.groups.${name}`)}</span>
      </button>
      <ul id={id} hidden={!open} className={styles.members}>
        {children}
      </ul>
    </>
  );
}
