import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight } from 'lucide-react';
import { useId } from 'react';
import { useListContext } from 'react-admin';
import { useLanguage, useT } from '../../i18n';
import { formatNumber } from '../../shared/format';
import { IconButton } from '../../shared/ui';
import styles from './list.module.css';
import { keepPageSize, pageSizes } from './pageSize';

/** Pager says which rows are shown and leads to others. */
export function Pager() {
  const t = useT();
  const language = useLanguage();
  const id = useId();
  const { page, perPage, total = 0, setPage, setPerPage } = useListContext();
  const pages = Math.max(1, Math.ceil(total / perPage));
  const number = (value: number) => formatNumber(value, language);
  const go = (label: string, icon: React.ReactNode, to: number, off: boolean) => (
    <IconButton label={label} aria-disabled={off || undefined} onClick={() => !off && setPage(to)}>
      {icon}
    </IconButton>
  );
  if (total === 0) return null;
  return (
    <nav className={styles.pager} aria-label={t('admin.list.pages')}>
      <label htmlFor={id}>{t('admin.list.pageSize')}</label>
      <select
        id={id}
        className={styles.size}
        value={perPage}
        onChange={(event) => {
          keepPageSize(Number(event.target.value));
          setPerPage(Number(event.target.value));
        }}
      >
        {pageSizes.map((size) => (
          <option key={size} value={size}>
            {size}
          </option>
        ))}
      </select>
      <span role="status">
        {t('admin.list.range', {
          first: number((page - 1) * perPage + 1),
          last: number(Math.min(page * perPage, total)),
          total: number(total),
        })}
      </span>
      <span className={styles.steps}>
        {go(t('admin.list.firstPage'), <ChevronFirst size={20} aria-hidden="true" />, 1, page <= 1)}
        {go(t('admin.list.previousPage'), <ChevronLeft size={20} aria-hidden="true" />, page - 1, page <= 1)}
        {go(t('admin.list.nextPage'), <ChevronRight size={20} aria-hidden="true" />, page + 1, page >= pages)}
        {go(t('admin.list.lastPage'), <ChevronLast size={20} aria-hidden="true" />, pages, page >= pages)}
      </span>
    </nav>
  );
}
