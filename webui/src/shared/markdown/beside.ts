// What stands beside a text and comes after it, in one piece.
export { Divider } from './Divider';
export { Outline } from './Outline';
