import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Evaluated } from './Evaluated';

const files = {
  'a.rego': 'package pasteport.site\n',
  'b.rego': 'package pasteport.site\n\nx := 1\n',
  'b_test.rego': '',
  'data.json': '{}',
};

it('shows first the file that the question has reached, with its lines in words and in the margin', async () => {
  const { container } = render(
    <Evaluated
      files={files}
      lines={[
        { file: 'permissions/permissions.rego', covered: [[1, 9]], not_covered: [], percent: 100 },
        { file: 'b.rego', covered: [[3, 3]], not_covered: [], percent: 100 },
      ]}
    />,
  );
  expect(screen.getByText('Lines run by this question: 3')).toBeDefined();
  expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual(['a.rego', 'b.rego']);
  await screen.findByRole('textbox', { name: 'Text of b.rego' });
  expect(container.querySelectorAll('[title="Evaluated"]')).toHaveLength(1);
});

it('is nothing where there are no rules of the site', () => {
  const { container } = render(<Evaluated files={{}} lines={[]} />);
  expect(container.textContent).toBe('');
});
