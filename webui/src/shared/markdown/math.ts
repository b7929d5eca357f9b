import 'katex/dist/katex.min.css';
import katex from 'katex';
import styles from './markdown.module.css';

/** How long formulas are set in one go, in milliseconds, before the page may breathe. */
const breath = 40;

/**
 * setFormulas typesets the places that the dialect left for formulas. One that is wrong stays as its source, with
 * what is wrong beside it. `as` "mathml" needs no style sheet, for files that stand alone.
 */
export async function setFormulas(places: Iterable<HTMLElement>, as: 'html' | 'mathml' = 'html') {
  let since = performance.now();
  for (const place of places) {
    setFormula(place, as);
    if (performance.now() - since < breath) continue;
    await new Promise((resolve) => setTimeout(resolve));
    since = performance.now();
  }
}

function setFormula(place: HTMLElement, as: 'html' | 'mathml') {
  const source = place.textContent ?? '';
  const displayMode = place.classList.contains('md-formula');
  try {
    katex.render(source, place, {
      displayMode,
      output: as === 'html' ? 'htmlAndMathml' : 'mathml',
      trust: false,
      strict: 'ignore',
      maxSize: 40,
      maxExpand: 500,
    });
    if (displayMode && as === 'html') place.tabIndex = 0;
  } catch (error) {
    showProblem(place, source, error);
  }
}

/** showProblem leaves the source of what could not be drawn, and says why. */
function showProblem(place: HTMLElement, source: string, error: unknown) {
  const code = document.createElement('code');
  code.textContent = source;
  const reason = document.createElement('small');
  reason.className = styles.problem ?? '';
  reason.textContent = messageOf(error);
  place.replaceChildren(code, ' ', reason);
}

const messageOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]?.slice(0, 160) ?? '';
