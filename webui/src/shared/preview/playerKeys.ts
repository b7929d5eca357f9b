import type { KeyboardEvent } from 'react';

/** playByKey does what a key means to the player that has the focus: Space, arrows, M, and F for films (§10). */
export function playByKey(event: KeyboardEvent, player: HTMLMediaElement): void {
  if (event.target !== player || event.ctrlKey || event.altKey || event.metaKey) return;
  const action = {
    ' ': () => void (player.paused ? player.play() : player.pause()),
    ArrowLeft: () => (player.currentTime = Math.max(0, player.currentTime - 5)),
    ArrowRight: () => (player.currentTime = Math.min(player.duration || 0, player.currentTime + 5)),
    ArrowUp: () => (player.volume = Math.min(1, player.volume + 0.1)),
    ArrowDown: () => (player.volume = Math.max(0, player.volume - 0.1)),
    m: () => (player.muted = !player.muted),
    ...(player instanceof HTMLVideoElement && {
      f: () => void (document.fullscreenElement ? document.exitFullscreen() : player.requestFullscreen()),
    }),
  }[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}
