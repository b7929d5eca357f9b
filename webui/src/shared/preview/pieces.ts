import Player, { Events } from 'hls.js/light';
import type { Loader, LoaderContext } from 'hls.js/light';
import type { Attached, Told } from './player';
import { scriptSource, type Around, type PreviewedFile, type Source } from './previewed';

type Loading = Loader<LoaderContext>;

/** Stands for the folder in the addresses of the pieces; it is never asked for. */
const folder = 'https://folder.invalid/';

/**
 * attachPieces plays a film that comes in pieces (HLS). They lie beside the
 * list, or where the list says. Throws in browsers that it cannot work in.
 */
export function attachPieces(
  video: HTMLVideoElement,
  file: PreviewedFile,
  around: Around | undefined,
  told: Told,
  signal: AbortSignal,
): Attached | undefined {
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
  player.on(Events.MANIFEST_PARSED, told.playing);
  let begun = false;
  player.on(Events.FRAG_LOADED, () => (begun = true));
  player.on(Events.ERROR, (_, problem) => {
    // A list whose first piece is refused is one without its pieces; later ones are worth another try.
    if (problem.fatal || (!begun && problem.frag && (problem.response?.code ?? 0) >= 400)) told.broken(begun);
  });
  player.loadSource(
    around ? folder + encodeURIComponent(file.filename) : new URL(scriptSource(file).url, location.href).href,
  );
  player.attachMedia(video);
  return player;
}
