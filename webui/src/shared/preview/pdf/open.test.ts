import { describe, expect, it, vi } from 'vitest';
import { openPdf } from './open';

const getDocument = vi.hoisted(() => vi.fn(() => ({ promise: Promise.resolve('opened') })));
vi.mock('pdfjs-dist', () => ({ getDocument, GlobalWorkerOptions: {} }));

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('openPdf', () => {
  it.each(['', 'ob', '%PDF-1.4\nbroken broken o'])('refuses %j without starting its reader', async (text) => {
    await expect(openPdf(bytesOf(text))).rejects.toThrow('not a PDF');
    expect(getDocument).not.toHaveBeenCalled();
  });

  it('lets its reader try what holds an object', async () => {
    await expect(openPdf(bytesOf('only\n1 0 obj'))).resolves.toBe('opened');
  });
});
