import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { useT } from '../../i18n';
import { useAct } from '../useAct';
import { IconButton } from '../../shared/ui';
import type { RowAction } from './columns';
import styles from './list.module.css';

/** RowActions are the actions on one row: the frequent ones as buttons, all others in a menu. */
export function RowActions({ name, actions }: { name: string; actions: readonly RowAction[] }) {
  const t = useT();
  const { act } = useAct();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const shown = actions.filter((action) => action.shown);
  const others = actions.filter((action) => !action.shown);
  return (
    <div className={styles.actions}>
      {shown.map((action) => (
        <IconButton key={action.label} label={action.label} onClick={() => act(action.run)}>
          <action.icon size={18} />
        </IconButton>
      ))}
      {others.length > 0 && (
        <IconButton
          label={t('admin.list.actionsOf', { name })}
          aria-haspopup="menu"
          aria-expanded={anchor !== undefined}
          onClick={(event) => setAnchor(event.currentTarget)}
        >
          <Ellipsis size={20} />
        </IconButton>
      )}
      <Menu
        open={anchor !== undefined}
        anchorEl={anchor ?? null}
        onClose={() => setAnchor(undefined)}
        slotProps={{
          // It is drawn at the end of the page, outside of every landmark, and takes the keyboard until it is closed.
          root: { role: 'dialog', 'aria-modal': true, 'aria-label': t('admin.list.actionsOf', { name }) },
          list: { 'aria-label': t('admin.list.actionsOf', { name }) },
        }}
      >
        {others.map((action) => (
          <MenuItem
            key={action.label}
            className={`${styles.choice} ${action.danger ? styles.danger : ''}`}
            onClick={() => {
              setAnchor(undefined);
              act(action.run);
            }}
          >
            <action.icon size={18} />
            {action.label}
          </MenuItem>
        ))}
      </Menu>
    </div>
  );
}
