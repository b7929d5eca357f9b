// A reporter of Playwright that names the flows which needed a second try, and why: the last lines of a long run
// are often all that one sees of it.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** reasonLength is how many characters of a failed try's message are told. */
const reasonLength = 600;

/** listed is what "make test" ends with: each flow, and below it why its tries failed. */
export function listed(/** @type {Map<string, string[]>} */ flows) {
  if (flows.size === 0) return 'repeated flows: none\n';
  const told = [...flows].sort().map(([name, reasons]) => `  ${name}\n${reasons.map(indented).join('')}`);
  return `repeated flows: ${flows.size}\n${told.join('')}`;
}

function indented(/** @type {string} */ reason) {
  const lines = stripVTControlCharacters(reason).slice(0, reasonLength).split('\n');
  return lines
    .filter((line) => line.trim())
    .map((line) => `    ${line}\n`)
    .join('');
}

export default class Repeated {
  /** @type {Map<string, string[]>} */
  failed = new Map();

  onBegin(config) {
    this.root = config.rootDir;
    this.file = path.join(path.dirname(config.configFile), 'test-results', 'repeated-flows.txt');
  }

  onTestEnd(test, { status, errors }) {
    if (status === 'passed' || status === 'skipped') return;
    const name = `${path.relative(this.root, test.location.file)} › ${test.title}`;
    const reasons = errors.map(({ message, value }) => message ?? value ?? 'no message');
    this.failed.set(name, [...(this.failed.get(name) ?? []), ...reasons]);
  }

  onEnd() {
    const text = listed(this.failed);
    mkdirSync(path.dirname(this.file), { recursive: true });
    writeFileSync(this.file, text);
    process.stdout.write(text);
  }

  printsToStdio() {
    return false;
  }
}
