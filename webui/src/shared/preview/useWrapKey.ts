import { useListener } from '../../hooks/useListener';

/** useWrapKey turns wrapping by Alt+Z, as in editors, while no dialog stands open. */
export function useWrapKey(turn: () => void) {
  const press = (event: KeyboardEvent) => {
    // With Alt the letter of the key is another one on some keyboards.
    if (event.code !== 'KeyZ' || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    turn();
  };
  useListener('keydown', press);
}
