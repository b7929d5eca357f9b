import { useEffect } from 'react';
import type { Around, PreviewedFile } from './previewed';

/** FilePreviewProps are what the preview of every kind of file is given. */
export interface FilePreviewProps {
  file: PreviewedFile;
  /** The folder the file lies in, where it lies in one: for the pictures, sounds and subtitles beside it. */
  around?: Around | undefined;
  /** bar has the places of a text's tools, where the page has a bar of its own; null until they are there. */
  bar?: { forms: HTMLElement | null; copy: HTMLElement | null } | undefined;
  /** bare shows a text alone, without its tools and what is told of it. */
  bare?: boolean;
  /** onSettled is told when the preview has its size, for a kind that has not got it at once. */
  onSettled?: (() => void) | undefined;
}

/** Settled tells when what it stands in has been drawn. */
export function Settled({ onSettled }: Pick<FilePreviewProps, 'onSettled'>) {
  useEffect(() => onSettled?.(), [onSettled]);
  return null;
}
