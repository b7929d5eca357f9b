import { saveBlob } from '../../shared/saveBlob';
import type { View } from './syntax';

/** fileNameOf names the file a paste is saved as. */
export function fileNameOf(name: string, syntax: string | null | undefined, view: View): string {
  const clean = name
    .replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]+/gu, '_')
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(0, 100);
  const markdown = syntax === 'markdown' || (!syntax && view === 'preview');
  const extension = markdown ? 'md' : 'txt';
  return clean.toLowerCase().endsWith(`.${extension}`) ? clean : `${clean || 'paste'}.${extension}`;
}

/** download saves a paste as a text file. */
export function download(text: string, name: string, syntax: string | null | undefined, view: View): void {
  saveBlob(new Blob([text], { type: 'text/plain;charset=utf-8' }), fileNameOf(name, syntax, view));
}
