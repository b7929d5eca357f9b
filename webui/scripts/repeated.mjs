// A reporter of Playwright that names the flows which needed a second try.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** listed is what "make test" ends with. */
export function listed(names) {
  if (names.length === 0) return 'repeated flows: none\n';
  return `repeated flows: ${names.length}\n${names.map((name) => `  ${name}\n`).join('')}`;
}

export default class Repeated {
  /** @type {Set<string>} */
  names = new Set();

  onBegin(config) {
    this.root = config.rootDir;
    this.file = path.join(path.dirname(config.configFile), 'test-results', 'repeated-flows.txt');
  }

  onTestEnd(test, result) {
    if (result.retry > 0) this.names.add(`${path.relative(this.root, test.location.file)} › ${test.title}`);
  }

  onEnd() {
    const text = listed([...this.names].sort());
    mkdirSync(path.dirname(this.file), { recursive: true });
    writeFileSync(this.file, text);
    process.stdout.write(text);
  }

  printsToStdio() {
    return false;
  }
}
