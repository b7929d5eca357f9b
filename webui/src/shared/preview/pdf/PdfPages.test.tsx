import { render, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PreviewedFile } from '../previewed';
import PdfPages from './PdfPages';

vi.mock('./open', () => ({ openPdf: () => Promise.reject(new Error('no document')) }));
// What draws needs a browser; nothing is drawn here.
vi.mock('pdfjs-dist', () => ({}));

const file: PreviewedFile = {
  size: 3,
  filename: 'a.pdf',
  mimetype: 'application/pdf',
  type: 7,
  viewUrl: '/view',
  readUrl: '/read',
  downloadUrl: '/download',
};

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('a PDF that cannot be drawn', () => {
  it.each([
    ['is damaged', 3],
    ['is too large', 200 << 20],
  ])('lets what stands below it come when it %s', async (_, size) => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('abc')));
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const onSettled = vi.fn();
    render(<PdfPages file={{ ...file, size }} onSettled={onSettled} />);
    expect(await screen.findByRole('link', { name: 'Download' })).toBeDefined();
    await waitFor(() => expect(onSettled).toHaveBeenCalled());
  });
});
