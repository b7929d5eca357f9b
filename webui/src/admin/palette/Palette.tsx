import useAutocomplete from '@mui/material/useAutocomplete';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { useDebouncedEvent } from 'react-admin';
import { useSession } from '../../auth/session';
import { useT } from '../../i18n';
import { Dialog } from '../../shared/ui';
import { settingsQuery, sharesFoundQuery, sourcesQuery } from '../data/queries';
import { useNavigate } from '../router';
import { destinations, matching } from './destinations';
import styles from './palette.module.css';

/** Milliseconds without a key until the server is asked for shares. */
const pause = 250;

/**
 * Palette leads by a few letters to any page, record or setting of the panel. It is read when it is opened: pages are
 * there at once, what the server knows follows.
 */
export default function Palette({ onClose }: { onClose: () => void }) {
  const t = useT();
  const session = useSession();
  const navigate = useNavigate();
  const admin = session.kind === 'admin';
  const [sought, setSought] = useState('');
  const seek = useDebouncedEvent((words: string) => setSought(words.trim()), pause);
  const { data: sources } = useQuery({ ...sourcesQuery, enabled: admin });
  const { data: settings } = useQuery({ ...settingsQuery, enabled: admin });
  const { data: shares } = useQuery({
    ...sharesFoundQuery(sought),
    enabled: admin && sought.length > 1,
    placeholderData: keepPreviousData,
  });
  const {
    getRootProps,
    getInputProps,
    getListboxProps,
    getOptionProps,
    groupedOptions: groups,
  } = useAutocomplete({
    options: destinations(t, session, { sources, settings, shares }),
    open: true,
    autoHighlight: true,
    value: null,
    clearOnBlur: false,
    groupBy: ({ kind }) => kind,
    getOptionLabel: ({ label }) => label,
    getOptionKey: ({ key }) => key,
    filterOptions: (all, { inputValue: words }) => matching(all, words),
    onInputChange: (_, words, reason) => reason === 'input' && seek(words),
    onChange: (_, chosen) => {
      if (!chosen) return;
      onClose();
      void navigate(chosen.to);
    },
  });

  return (
    <Dialog title={t('admin.palette.title')} onClose={onClose}>
      <div {...getRootProps()} className={styles.palette}>
        <div className={styles.search}>
          <Search size={18} />
          <input
            {...getInputProps()}
            data-autofocus
            type="text"
            enterKeyHint="go"
            aria-label={t('admin.palette.label')}
            placeholder={t('admin.palette.label')}
            onKeyDown={(event) => {
              // It is taken for the list's own, which never closes.
              if (event.key === 'Escape') onClose();
            }}
          />
        </div>
        <ul {...getListboxProps()} aria-label={t('admin.palette.title')} className={styles.list}>
          {groups.map(({ key, index, group, options }) => (
            <li key={key} role="presentation">
              <span role="presentation" className={styles.group}>
                {t(`admin.palette.kind.${group}`)}
              </span>
              <ul role="group" aria-label={t(`admin.palette.kind.${group}`)}>
                {options.map((option, at) => {
                  const { key: id, ...attributes } = getOptionProps({ option, index: index + at }) as {
                    key: string;
                  };
                  return (
                    <li key={id} {...attributes} className={styles.option}>
                      <option.icon size={18} />
                      <span className={styles.label}>{option.label}</span>
                      {option.note && <span className={styles.note}>{option.note}</span>}
                    </li>
                  );
                })}
              </ul>
            </li>
          ))}
        </ul>
        <p role="status" className={groups.length === 0 ? styles.none : 'visually-hidden'}>
          {groups.length === 0 && t('admin.list.noMatch')}
        </p>
      </div>
    </Dialog>
  );
}
