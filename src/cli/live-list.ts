import type { JsonOption } from './command.ts';
import { harmless, printLine } from './output.ts';
import type { ProgressLine } from './progress.ts';

/** A line of a list. Without a terminal it is printed again only when its key changes. */
export interface LiveLine {
  /** What the line is about; unique in the list. */
  id: string;
  text: string;
  key: string;
}

/** Interval at which a log without a terminal repeats a line whose text has changed. */
const REPEAT_MS = 60_000;
const COLUMNS = 120;
const COLUMNS_MIN = 20;

/** Lines that are kept up to date: redrawn in place on a terminal, printed when they change elsewhere, not shown with `--json`. */
export class LiveList {
  readonly #mode: 'terminal' | 'log' | 'silent';
  readonly #said = new Map<string, { key: string; text: string; at: number }>();
  #lines: readonly LiveLine[] = [];
  /** A line below the list, such as the progress of an upload. */
  #last: LiveLine | undefined;
  #drawn = 0;

  constructor(options: JsonOption) {
    this.#mode = options.json === true ? 'silent' : process.stdout.isTTY === true ? 'terminal' : 'log';
  }

  show(lines: readonly LiveLine[]): void {
    this.#lines = lines;
    this.#draw();
  }

  /** A line below the list, for work that reports its progress in one line. */
  progressLine(id: string): Pick<ProgressLine, 'show' | 'keep'> {
    return {
      show: (text: string, key?: string) => {
        this.#last = { id, text, key: key ?? text };
        this.#draw();
      },
      keep: () => {
        this.#last = undefined;
        this.#draw();
      },
    };
  }

  /** Leaves the current output in place; the next one is drawn below it. */
  keep(): void {
    this.#drawn = 0;
  }

  #draw(): void {
    const lines = this.#last === undefined ? this.#lines : [...this.#lines, this.#last];
    if (this.#mode === 'terminal') this.#redraw(lines);
    else if (this.#mode === 'log') for (const line of lines) this.#print(line);
  }

  /** Every line is cut to the width of the terminal, so that the number of lines on it is known. */
  #redraw(lines: readonly LiveLine[]): void {
    const width = Math.max(COLUMNS_MIN, (process.stdout.columns ?? COLUMNS) - 1);
    // The first lines of a list that is higher than the terminal cannot be redrawn.
    const shown = lines.slice(-Math.max(1, (process.stdout.rows ?? lines.length + 1) - 1));
    const back = this.#drawn === 0 ? '' : `\u001B[${this.#drawn}A\u001B[J`;
    const texts = shown.map(({ text }) => `${harmless(text).replaceAll('\n', ' ').slice(0, width)}\n`);
    process.stdout.write(`${back}${texts.join('')}`);
    this.#drawn = shown.length;
  }

  #print({ id, text, key }: LiveLine): void {
    const said = this.#said.get(id);
    const isDue = said === undefined || said.key !== key || (said.text !== text && Date.now() - said.at >= REPEAT_MS);
    if (!isDue) return;
    printLine(text);
    this.#said.set(id, { key, text, at: Date.now() });
  }
}
