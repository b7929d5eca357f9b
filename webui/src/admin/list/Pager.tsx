import TablePagination from '@mui/material/TablePagination';
import { useId } from 'react';
import { useListPaginationContext } from 'react-admin';
import { useLanguage, useT } from '../../i18n';
import { formatNumber } from '../../shared/format';
import { keepPageSize, pageSizes } from './pageSize';

const ways = {
  first: 'admin.list.firstPage',
  previous: 'admin.list.previousPage',
  next: 'admin.list.nextPage',
  last: 'admin.list.lastPage',
};

/** Pager says which rows are shown and leads to others. React-admin's own has no choice of page sizes on phones. */
export function Pager() {
  const t = useT();
  const language = useLanguage();
  const id = useId();
  const { page, perPage, total = 0, setPage, setPerPage } = useListPaginationContext();
  const number = (value: number) => formatNumber(value, language);
  if (total === 0) return null;
  return (
    <TablePagination
      component="nav"
      aria-label={t('admin.list.pages')}
      count={total}
      page={page - 1}
      onPageChange={(_, to) => setPage(to + 1)}
      rowsPerPage={perPage}
      rowsPerPageOptions={pageSizes}
      onRowsPerPageChange={({ target: { value } }) => {
        keepPageSize(Number(value));
        setPerPage(Number(value));
      }}
      labelRowsPerPage={<label htmlFor={id}>{t('admin.list.pageSize')}</label>}
      labelDisplayedRows={({ from, to, count }) =>
        t('admin.list.range', { first: number(from), last: number(to), total: number(count) })
      }
      getItemAriaLabel={(type) => t(ways[type])}
      showFirstButton
      showLastButton
      slotProps={{
        select: { native: true, id },
        displayedRows: { role: 'status' },
      }}
    />
  );
}
