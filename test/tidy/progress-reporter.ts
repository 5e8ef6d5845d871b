// What `npm test` shows while its suites run: one line that is rewritten on a terminal, elsewhere a line every half minute;
// and each file that fails, as soon as it has.
import { relative } from 'node:path';
import { keepCosts, type FileCost } from './file-costs.ts';
import { expectedMs } from './test-order.ts';

const LINE_EVERY_MS = { terminal: 1_000, log: 30_000 };

/** What Jest tells of a file that has ended, as much as is shown. */
interface FileResult {
  numPassingTests: number;
  numFailingTests: number;
  testExecError?: unknown;
  failureMessage?: string | null;
  console?: readonly { message: string }[];
  /** Only where costs are kept (native-runner.mjs). */
  cost?: FileCost;
}

/** Where the lines go. */
interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

export default class ProgressReporter {
  #root: string;
  #startedAt = performance.now();
  #isTerminal: boolean;
  #write: (text: string) => unknown;
  #timer: NodeJS.Timeout | undefined;
  #files = { done: 0, all: 0 };
  #tests = { passed: 0, failed: 0 };
  #msDone = 0;
  #failed: string[] = [];
  #costs = new Map<string, FileCost>();

  constructor({ rootDir }: { rootDir: string }, _options: object, _context: object, stream: Output = process.stdout) {
    this.#root = rootDir;
    this.#isTerminal = stream.isTTY === true;
    this.#write = (text) => stream.write(text);
  }

  onRunStart({ numTotalTestSuites }: { numTotalTestSuites: number }): void {
    this.#files.all = numTotalTestSuites;
    this.#timer = setInterval(() => this.#show(), LINE_EVERY_MS[this.#isTerminal ? 'terminal' : 'log']);
  }

  onTestResult({ path }: { path: string }, result: FileResult): void {
    this.#files.done += 1;
    this.#tests.passed += result.numPassingTests;
    this.#tests.failed += result.numFailingTests + (result.testExecError ? 1 : 0);
    this.#msDone += expectedMs.get(path) ?? 0;
    if (result.cost) this.#costs.set(path, result.cost);
    const file = relative(this.#root, path);
    if (result.failureMessage) {
      this.#failed.push(file);
      this.#tell(`FAILED ${file}\n${result.failureMessage}`);
    }
    for (const { message } of result.console ?? []) this.#tell(`${file}: ${message}`);
    if (this.#isTerminal) this.#show();
  }

  onRunComplete(): void {
    clearInterval(this.#timer);
    if (this.#costs.size > 0) keepCosts(this.#costs);
    this.#show();
    if (this.#isTerminal) this.#write('\n');
    if (this.#failed.length > 0) {
      this.#write(`Files with failures:\n${this.#failed.map((file) => `  ${file}\n`).join('')}`);
    }
  }

  #show(): void {
    const line = this.#line();
    this.#write(this.#isTerminal ? `\r\x1b[K${line}` : `${line}\n`);
  }

  /** The line of progress is begun anew below what is told. */
  #tell(text: string): void {
    this.#write(`${this.#isTerminal ? '\r\x1b[K' : ''}${text.trimEnd()}\n`);
  }

  #line(): string {
    const elapsedMs = performance.now() - this.#startedAt;
    const { done, all } = this.#files;
    const left = this.#leftMs(elapsedMs);
    return (
      `${done} of ${all} files, ${this.#tests.passed} passed, ${this.#tests.failed} failed, ${minutes(elapsedMs)}` +
      (left === undefined || done === all ? '' : `, about ${minutes(left)} left`)
    );
  }

  /** By what the files are expected to take, at the pace so far; undefined before the first has ended. */
  #leftMs(elapsedMs: number): number | undefined {
    if (this.#msDone === 0) return undefined;
    const all = [...expectedMs.values()].reduce((sum, ms) => sum + ms, 0);
    return (elapsedMs / this.#msDone) * (all - this.#msDone);
  }
}

function minutes(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
