import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { loadAreas } from '../../../i18n';
import { Questions } from '../../../shared/ui';
import { data, fakeApi, refused } from '../../../testing/fakeApi';
import Edit from './index';

const detail = {
  id: 'id-1',
  slug: 's1',
  content: 'one\ntwo\nthree',
  remark: 'A note',
  expires_at: null,
  max_views: 5,
  views: 1,
  has_password: true,
  syntax: 'text',
};
const answer = (body: object, etag: string) => Response.json(data(body), { headers: { ETag: etag } });

function open(routes: Parameters<typeof fakeApi>[0]) {
  const api = fakeApi({
    'GET /pastes/s1': answer(detail, '"v1"'),
    'PUT /pastes/id-1': data({ id: 'id-1', slug: 's1' }),
    ...routes,
  });
  const onSaved = vi.fn();
  const onClose = vi.fn();
  render(
    <>
      <Edit slug="s1" onSaved={onSaved} onClose={onClose} />
      <Questions />
    </>,
  );
  const puts = () => api.calls.filter(({ method }) => method === 'PUT');
  return { onSaved, onClose, puts };
}

const area = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Text of the share' });

beforeEach(async () => {
  sessionStorage.clear();
  await loadAreas('shareEdit', 'share', 'home');
});

describe('editing a paste', () => {
  it('sends only what was changed, with the tag of what was loaded, by keyboard', async () => {
    const { onSaved, puts } = open({});
    await userEvent.type(await area(), ' more{Control>}s{/Control}');
    await waitFor(() => expect(onSaved).toHaveBeenCalledOnce());
    expect(puts()).toHaveLength(1);
    expect(puts()[0]?.body).toEqual({ content: 'one\ntwo\nthree more' });
    expect(puts()[0]?.headers.get('If-Match')).toBe('"v1"');
  });

  it('never gives a browser all lines of a long text to lay out', async () => {
    const long = 'pilot\n'.repeat(80_000);
    open({ 'GET /pastes/s1': answer({ ...detail, content: long }, '"v1"') });
    await screen.findByRole('heading', { name: 'Edit' });
    expect(screen.queryByText(/pilot/)).toBeNull();
    expect((await area()).textContent?.length).toBeLessThan(long.length / 10);
    expect(document.querySelector('textarea')).toBeNull();
  });

  it('sends new terms and removes the password', async () => {
    const { onSaved, puts } = open({});
    await userEvent.clear(await screen.findByRole('textbox', { name: /View limit/ }));
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Password' }), 'Remove the password');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(onSaved).toHaveBeenCalledOnce());
    expect(puts()[0]?.body).toEqual({ content: detail.content, maxViews: 0, clearPassword: true });
    expect(onSaved.mock.calls[0]?.[0]).toMatchObject({ maxViews: 0, views: 0, hasPassword: false });
  });

  it('asks before changes are thrown away', async () => {
    const { onClose } = open({});
    await userEvent.type(await area(), 'x');
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(onClose).not.toHaveBeenCalled();
    await userEvent.click(await screen.findByRole('button', { name: 'Discard' }));
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  });

  it('keeps the text in the tab when saving fails', async () => {
    open({ 'PUT /pastes/id-1': refused(503, 'unavailable') });
    await userEvent.type(await area(), ' more');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect((await screen.findByText(/kept in this tab/)).textContent).toContain('Choose Edit again');
    expect(JSON.parse(sessionStorage.getItem('pp.edit.s1') ?? '{}')).toMatchObject({
      text: 'one\ntwo\nthree more',
      etag: '"v1"',
    });
  });

  it('lets the writer combine both when someone else has saved', async () => {
    let loads = 0;
    const { onSaved, puts } = open({
      'GET /pastes/s1': () =>
        ++loads === 1 ? answer(detail, '"v1"') : answer({ ...detail, content: 'ONE\ntwo\nthree' }, '"v2"'),
      'PUT /pastes/id-1': ({ headers }) =>
        headers.get('If-Match') === '"v2"'
          ? data({ id: 'id-1', slug: 's1' })
          : refused(412, 'precondition_failed'),
    });
    await userEvent.type(await area(), ' more');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Merge both' }));
    expect((await area()).value).toBe('ONE\ntwo\nthree more');
    expect(onSaved).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(onSaved).toHaveBeenCalledOnce());
    expect(puts().map(({ headers }) => headers.get('If-Match'))).toEqual(['"v1"', '"v2"']);
  });
});
