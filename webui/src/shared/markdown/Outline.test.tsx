import { act, render, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Outline } from './Outline';

const headings = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: `h${at}`,
    text: `Day ${at}`,
    depth: at % 10 === 0 ? 1 : 2,
  }));

it('draws a long outline piece by piece, to its end', async () => {
  const { container } = render(<Outline headings={headings(1000)} />);
  const links = () => container.querySelectorAll('a');
  expect(links().length).toBeGreaterThan(10);
  expect(links().length).toBeLessThan(500);
  await waitFor(() => expect(links()).toHaveLength(1000));
  expect(links()[999]?.textContent).toBe('Day 999');
});

it('marks the heading being read, in whichever piece it stands', async () => {
  const long = headings(300);
  document.body.append(
    ...long.map(({ id }, at) => {
      const heading = document.createElement('h2');
      heading.id = id;
      heading.getBoundingClientRect = () => new DOMRect(0, at <= 250 ? 0 : 9999);
      return heading;
    }),
  );
  render(<Outline headings={long} />);
  await screen.findByText('Day 299', { selector: 'a' });
  act(() => void dispatchEvent(new Event('scroll')));
  expect(await screen.findByRole('link', { current: 'location' })).toBe(
    screen.getByRole('link', { current: 'location', name: 'Day 250' }),
  );
  for (const { id } of long) document.getElementById(id)?.remove();
});
