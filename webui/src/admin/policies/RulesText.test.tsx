import { fireEvent, render, screen } from '@testing-library/react';
import { useRef, useState } from 'react';
import { describe, expect, it } from 'vitest';
import '../../testing/browser';
import { RulesText } from './RulesText';

function Harness({ first }: { first: string }) {
  const [text, setText] = useState(first);
  return <RulesText ref={useRef(null)} aria-label="Rules" value={text} onText={setText} />;
}

/** type shows a text whose first line was just typed. */
function type(line: string, after = '') {
  render(<Harness first={after} />);
  const area = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Rules' });
  const value = line + after;
  // The caret comes with the text, as it does in a browser.
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(area, value);
  area.setSelectionRange(line.length, line.length);
  fireEvent.input(area);
  return area;
}

const offered = () => screen.queryAllByRole('option').map(({ textContent }) => textContent);

describe('what is offered while rules are written', () => {
  it('is told to readers of the screen, and written by Enter in place of its beginning', () => {
    document.execCommand = () => false;
    const area = type('x := input.subject.g', '\ny := 1\n');
    expect(offered()).toHaveLength(1);
    const [option] = screen.getAllByRole('option');
    expect(area.getAttribute('aria-activedescendant')).toBe(option?.id);
    expect(area.getAttribute('aria-controls')).toBe(screen.getByRole('listbox').id);
    expect(fireEvent.keyDown(area, { key: 'Enter' })).toBe(false);
    expect(area.value).toBe('x := input.subject.guest\ny := 1\n');
    expect(offered()).toEqual([]);
    expect(area.hasAttribute('aria-activedescendant')).toBe(false);
    Reflect.deleteProperty(document, 'execCommand');
  });

  it.each([
    ['to the begin', 0, 0],
    ['to all of the text', 0, 27],
    ['to the next line', 24, 24],
  ])('goes with the caret, which has moved %s, and Enter is Enter again', (_name, from, to) => {
    const area = type('x := input.subject.g', '\ny := 1');
    expect(offered()).toHaveLength(1);
    area.setSelectionRange(from, to);
    expect(fireEvent.keyDown(area, { key: 'Enter' })).toBe(true);
    expect(area.value).toBe('x := input.subject.g\ny := 1');
    fireEvent.select(area);
    expect(offered()).toEqual([]);
  });

  it('leaves the keys of an input method alone', () => {
    const area = type('input.sub');
    expect(fireEvent.keyDown(area, { key: 'Enter', isComposing: true })).toBe(true);
    expect(area.value).toBe('input.sub');
  });
});
