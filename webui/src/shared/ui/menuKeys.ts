/** menuTarget is the item of a menu that an arrow, Home or End leads to from the one with the focus. */
export function menuTarget(menu: HTMLElement | null, key: string): HTMLElement | undefined {
  const all = [...(menu?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
  const at = all.findIndex((item) => item === document.activeElement);
  return {
    ArrowDown: all[(at + 1) % all.length],
    ArrowUp: all[(at - 1 + all.length) % all.length],
    Home: all[0],
    End: all[all.length - 1],
  }[key];
}
