import { readStored } from '../../config';
import { hasHeadings } from './headings';

export const outlineKey = 'pp.outline';
const widthKey = 'pp.outlineWidth'; // written by the divider

/** An outline is open at first from so many headings on, where it has room beside the text. */
const worthAnOutline = 3;
const roomBeside = 768;

/** outlineChoice is what the reader has chosen on this device: "open", "closed" or "". */
export const outlineChoice = () => readStored(outlineKey);

/** outlineWidth is the width of an outline beside the text, in percent. */
export const outlineWidth = () => Number(readStored(widthKey)) || 25;

/** opensOutline says whether the outline of a text stands open at first. */
export const opensOutline = (text: string, choice = outlineChoice()): boolean =>
  choice === 'open' || (choice === '' && innerWidth >= roomBeside && hasHeadings(text, worthAnOutline));
