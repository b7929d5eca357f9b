import { useT } from '../../i18n';
import { PointMenu } from '../../shared/ui/PointMenu';
import { menuOf, type MenuScene } from './menuOf';
import type { Point } from './useLongPress';

interface EntryMenuProps {
  scene: Omit<MenuScene, 't'>;
  at: Point;
  onClose: () => void;
}

/** EntryMenu is what can be done with an entry, at the pointer that asked for it. */
export function EntryMenu({ scene, at, onClose }: EntryMenuProps) {
  const t = useT();
  const label = t('explorer.list.more', { name: scene.entry.name });
  return <PointMenu label={label} at={at} items={menuOf({ ...scene, t })} onClose={onClose} />;
}
