import { render, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Markdown } from './Markdown';
import * as renderer from './render';

vi.mock('./render', { spy: true });

afterEach(() => vi.restoreAllMocks());

describe('a text that cannot be rendered', () => {
  it('is shown as it is, and counts as there', async () => {
    vi.mocked(renderer.renderMarkdown).mockRejectedValueOnce(new Error('no grammar'));
    const report = vi.spyOn(console, 'error').mockReturnValue(undefined);
    const onHeadings = vi.fn();
    const { container } = render(<Markdown text="# Tides" onHeadings={onHeadings} />);
    await waitFor(() => expect(onHeadings).toHaveBeenCalledWith([]));
    expect(container.textContent).toBe('# Tides');
    expect(report).toHaveBeenCalledOnce();
  });
});
