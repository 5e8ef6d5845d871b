import type { JsonOption } from './command.ts';
import { harmless, printLine } from './output.ts';

/** Interval at which a log without a terminal repeats that the command is still watching. */
const REPEAT_MS = 60_000;
const BAR_WIDTH = 30;

/** A bar with its percentage: `[###...] 50 %`. */
export function barOf(share: number): string {
  return `[${'#'.repeat(Math.floor(Math.min(share, 1) * BAR_WIDTH)).padEnd(BAR_WIDTH, '.')}] ${Math.floor(share * 100)} %`;
}

/**
 * Progress output: a line that is overwritten on a terminal, separate lines elsewhere, nothing with `--json`. On standard error it is shown
 * only on a terminal, for commands whose standard output is their result.
 */
export class ProgressLine {
  readonly #stream: NodeJS.WriteStream;
  readonly #isTerminal: boolean;
  readonly #isSilent: boolean;
  #said = { text: '', key: '', at: 0 };

  constructor(options: JsonOption & { onStandardError?: true }) {
    this.#stream = options.onStandardError ? process.stderr : process.stdout;
    this.#isSilent = options.json === true || (options.onStandardError === true && process.stderr.isTTY !== true);
    this.#isTerminal = this.#stream.isTTY === true && !this.#isSilent;
  }

  /** @param key without a terminal, a new line is printed only when this changes */
  show(text: string, key = text): void {
    if (this.#isTerminal) {
      this.#stream.write(`\r\u001B[K${harmless(text).slice(0, Math.max(20, (this.#stream.columns ?? 120) - 1))}`);
    } else if (!this.#isSilent && (key !== this.#said.key || Date.now() - this.#said.at >= REPEAT_MS)) {
      printLine(text);
    } else return;
    this.#said = { text, key, at: Date.now() };
  }

  /**
   * Leaves the current output in place.
   * @param last replaces it on a terminal
   */
  keep(last?: string): void {
    if (this.#isTerminal && last !== undefined) this.show(last);
    if (this.#isTerminal && this.#said.text !== '') this.#stream.write('\n');
    this.#said = { text: '', key: '', at: 0 };
  }
}
