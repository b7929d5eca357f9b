/** What a rendered text offers to its reader, and in which words. */
export interface Decorations {
  /** Message of this area for a key such as `codeCopy`. */
  label: (key: string, values?: Record<string, string | number>) => string;
  copy: (text: string) => Promise<boolean>;
  /** Boxes of tasks can be ticked on the page; nothing is saved. */
  tickTasks?: boolean;
  /** Called with all pictures of the text and the one that was chosen. */
  onImage?: (images: HTMLImageElement[], index: number) => void;
  /** Called with the source of an HTML or SVG block. */
  onHtml?: (source: string) => void;
}
