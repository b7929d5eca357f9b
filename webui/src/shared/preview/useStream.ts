import type Hls from 'hls.js/light';
import type { Loader, LoaderContext } from 'hls.js/light';
import { useEffect, useEffectEvent, useState, type RefObject } from 'react';
import { scriptSource, type Around, type PreviewedFile, type Source } from './previewed';

type Loading = Loader<LoaderContext>;

/** Stands for the folder in the addresses of the pieces; it is never asked for. */
const folder = 'https://folder.invalid/';

/**
 * useStream plays a film that comes in pieces (HLS) by a module that is
 * fetched for it. The pieces lie beside the list, or where the list says.
 * Answers whether it plays, and whether it cannot.
 */
export function useStream(
  video: RefObject<HTMLVideoElement | null>,
  file: PreviewedFile | undefined,
  around: Around | undefined,
): [playing: boolean, broken: boolean] {
  const [state, setState] = useState<'loading' | 'playing' | 'broken'>('loading');
  const url = file && scriptSource(file).url;
  const start = useEffectEvent(async (signal: AbortSignal): Promise<Hls | undefined> => {
    const element = video.current;
    if (!element || !file) return undefined;
    return attach(element, file, around, signal);
  });

  useEffect(() => {
    if (url === undefined) return;
    const leave = new AbortController();
    let player: Hls | undefined;
    start(leave.signal).then(
      (made) => {
        player = made;
        if (leave.signal.aborted) player?.destroy();
        if (leave.signal.aborted || !player) return;
        const { Events } = player.constructor as typeof Hls;
        player.on(Events.MANIFEST_PARSED, () => setState('playing'));
        let begun = false;
        player.on(Events.FRAG_LOADED, () => (begun = true));
        player.on(Events.ERROR, (_, problem) => {
          // A list whose first piece is refused is one without its pieces; later ones are worth another try.
          if (problem.fatal || (!begun && problem.frag && (problem.response?.code ?? 0) >= 400))
            setState('broken');
        });
      },
      () => {
        if (!leave.signal.aborted) setState('broken');
      },
    );
    return () => {
      leave.abort();
      player?.destroy();
    };
  }, [url]);

  return [state === 'playing', state === 'broken'];
}

/** attach fetches the module and gives it the film. Rejects in browsers that it cannot work in. */
async function attach(
  video: HTMLVideoElement,
  file: PreviewedFile,
  around: Around | undefined,
  signal: AbortSignal,
): Promise<Hls | undefined> {
  const { default: Player } = await import('hls.js/light');
  if (signal.aborted) return undefined;
  if (!Player.isSupported()) throw new Error('no media source in this browser');
  const address = (asked: string): Source => {
    if (!asked.startsWith(folder) || !around) return { url: asked };
    return around.source(decodeURIComponent(asked.slice(folder.length)));
  };
  const player = new Player({
    enableWorker: false,
    loader: class extends Player.DefaultConfig.loader {
      override load(...[context, ...rest]: Parameters<Loading['load']>) {
        const from = address(context.url);
        // Addresses in the list are read from where the list lies, so they are turned as late as this.
        super.load(
          {
            ...context,
            url: new URL(from.url, location.href).href,
            ...(from.headers && { headers: { ...context.headers, ...from.headers } }),
          },
          ...rest,
        );
      }
    },
  });
  player.loadSource(
    around ? folder + encodeURIComponent(file.filename) : new URL(scriptSource(file).url, location.href).href,
  );
  player.attachMedia(video);
  return player;
}
