/** A text that one page passes to the editor on Home. */
interface Handover {
  text: string;
  markdown: boolean;
}

let waiting: Handover | undefined;

/** handOver leaves a text for the editor, which takes it when Home is shown next. */
export function handOver(text: Handover): void {
  waiting = text;
}

/** takeHandover answers the text that was left, once. */
export function takeHandover(): Handover | undefined {
  const taken = waiting;
  waiting = undefined;
  return taken;
}
