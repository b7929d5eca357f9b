import { acceptCompletion, completionStatus } from '@codemirror/autocomplete';
import { EditorView } from '@codemirror/view';
import { render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { fakeApi } from '../../testing/fakeApi';
import { RulesText } from './RulesText';
import { useProblems } from './useProblems';

const text = 'package pasteport.site\n\n# why\ndeny contains {"code": "x", "message": `a\nb`} if true\n';
const files = { 'a.rego': text };

it('shows a file with its colours, its problems and the lines that were evaluated', async () => {
  const { container, rerender } = render(
    <RulesText file="a.rego" label="Text of a.rego" files={files} value={text} />,
  );
  const area = await screen.findByRole('textbox', { name: 'Text of a.rego' });
  expect(area.textContent).toContain('deny contains');
  expect(area.getAttribute('aria-invalid')).toBeNull();
  rerender(
    <RulesText
      file="a.rego"
      label="Text of a.rego"
      files={files}
      value={text}
      problems={[
        { file: 'a.rego', row: 4, column: 6, code: 'rego_parse_error', message: 'no' },
        { file: 'b.rego', row: 1, column: 1, code: 'rego_parse_error', message: 'elsewhere' },
      ]}
      coverage={{
        file: 'a.rego',
        covered: [[4, 5]],
        not_covered: [
          [1, 1],
          [90, 91],
        ],
        percent: 50,
      }}
    />,
  );
  await waitFor(() => expect(area.getAttribute('aria-invalid')).toBe('true'));
  expect(container.querySelector('.cm-lintRange-error')?.textContent).toBe('contains');
  expect(container.querySelectorAll('.cm-lint-marker-error')).toHaveLength(1);
  expect(container.querySelectorAll('[title="Evaluated"]')).toHaveLength(2);
  expect(container.querySelectorAll('[title="Not evaluated"]')).toHaveLength(1);
});

it('takes over a text that was changed elsewhere, without telling that somebody has written it', async () => {
  const onText = vi.fn();
  const { rerender } = render(
    <RulesText file="a.rego" label="Rules" files={files} value={text} onText={onText} />,
  );
  const area = await screen.findByRole('textbox', { name: 'Rules' });
  rerender(
    <RulesText file="a.rego" label="Rules" files={files} value="package pasteport.site" onText={onText} />,
  );
  await waitFor(() => expect(area.textContent).toBe('package pasteport.site'));
  expect(onText).not.toHaveBeenCalled();
});

it('takes what is offered by Enter also right behind a letter', async () => {
  render(<RulesText file="a.rego" label="Rules" files={{ 'a.rego': '' }} value="" />);
  const area = await screen.findByRole('textbox', { name: 'Rules' });
  const editor = EditorView.findFromDOM(area);
  if (!editor) throw new Error('no editor');
  const write = (insert: string) => {
    const to = editor.state.doc.length;
    editor.dispatch({
      changes: { from: to, insert },
      selection: { anchor: to + insert.length },
      userEvent: 'input.type',
    });
  };
  write('input.su');
  await waitFor(() => expect(completionStatus(editor.state)).toBe('active'));
  write('b');
  expect(acceptCompletion(editor)).toBe(true);
  expect(area.textContent).toBe('input.subject');
});

function Problems() {
  const [files, setFiles] = useState<Record<string, string>>();
  const problems = useProblems(files);
  return (
    <>
      <button onClick={() => setFiles({ 'a.rego': String(Math.random()) })}>write</button>
      <p>{problems.map(({ message }) => message).join('; ')}</p>
    </>
  );
}

it('has rules looked at after a rest, once, and says nothing where a password is needed', async () => {
  const answers = [
    Response.json(
      { success: false, code: 403, error: 'confirm_required', message: 'no', data: null },
      { status: 403 },
    ),
    {
      success: true,
      code: 200,
      message: '',
      data: {
        problems: [{ file: 'a.rego', row: 1, column: 1, code: 'x', message: 'unexpected' }],
        tests: [
          { file: 'a_test.rego', row: 3, name: 'test_x', passed: false, message: 'failed' },
          { file: 'a_test.rego', row: 9, name: 'test_y', passed: true, message: '' },
        ],
      },
    },
  ];
  const server = fakeApi({ 'POST /admin/policies/check': () => answers.shift() ?? {} });
  render(<Problems />);
  const write = screen.getByRole('button');
  write.click();
  write.click();
  await waitFor(() => expect(server.calls).toHaveLength(1), { timeout: 3000 });
  write.click();
  await screen.findByText('unexpected; test_x: failed', {}, { timeout: 3000 });
  expect(server.calls).toHaveLength(2);
});
