import { setTimeout as sleep } from 'node:timers/promises';
import { call, type Answer } from './api-client.ts';

/** What the demo needs of the running platform. */
export interface StoryOptions {
  http: string;
  operatorKey: string;
  say: (line: string) => void;
  /** Writes colours; false where the output is no terminal. */
  isColoured: boolean;
}

/** What a call should answer; the demo ends with an error when it does not. */
type Expected = number;

/** Longest answer that is shown on one line, and longest part of one that is longer, in characters. */
const LINE_MAX = 160;
/** Parts of a longer answer that are shown, each on a line. */
const PARTS_MAX = 6;
/** The dispatcher starts what is due every 30 seconds. */
const SWITCHED_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 500;
/** So often a status is told again that stays, so that nobody takes the demo for stuck. */
const TELL_EVERY_MS = 5_000;

/** What a chapter of the story tells with. */
export interface Telling {
  supplier: string;
  /** Keeps the numbers of runs on the same database apart. */
  run: string;
  heading(text: string): void;
  /** Makes one call, prints it with its answer, and fails when the answer has another status. */
  step(what: string, method: string, path: string, expected: Expected, body?: unknown): Promise<void>;
  /** Reads the status of an account until it is the one that is awaited, and prints each that it passes. */
  follow(path: string, awaited: string): Promise<void>;
}

/** Prints a story as it goes on; `token` says as whom the next call is made. */
export function startTelling({ http, say, isColoured }: StoryOptions, token: () => string): Telling {
  const paint = (code: number, text: string) => (isColoured ? `\u001B[${code}m${text}\u001B[0m` : text);
  const run = Date.now().toString(36).toUpperCase();
  return {
    run,
    supplier: `DEMO_${run}`,
    heading: (text) => say(`\n${paint(1, text)}`),
    step: async (what, method, path, expected, body) => {
      const answer = await call(http, method, path, token(), body);
      const isExpected = answer.status === expected;
      say(`  ${paint(isExpected ? 32 : 31, String(answer.status))}  ${what}`);
      say(paint(2, `       ${method} ${path}`));
      for (const line of shownBody(answer.body)) say(paint(2, `       ${line}`));
      if (!isExpected) throw new Error(`The demo expected ${expected} for "${what}" and got ${answer.status}.`);
    },
    follow: (path, awaited) =>
      follow(
        () => call(http, 'GET', path, token()),
        awaited,
        (line) => say(`       ${paint(2, line)}`),
      ),
  };
}

async function follow(read: () => Promise<Answer>, awaited: string, say: (line: string) => void): Promise<void> {
  let last = '';
  let toldAt = 0;
  for (const until = Date.now() + SWITCHED_WITHIN_MS; last !== awaited; await sleep(LOOK_EVERY_MS)) {
    const { status = '' } = (await read()).body as { status?: string };
    if (status !== last || Date.now() - toldAt > TELL_EVERY_MS) {
      say(`${new Date().toISOString().slice(11, 19)} ${status === last ? `still ${status}` : status}`);
      toldAt = Date.now();
    }
    last = status;
    if (Date.now() > until) throw new Error(`The demo awaited the status ${awaited} and saw ${last}.`);
  }
}

/** An answer as lines: a short one whole, of a longer one the beginning of its first parts, and of their lists as well. */
function shownBody(body: unknown): string[] {
  const whole = JSON.stringify(body);
  if (whole.length <= LINE_MAX || typeof body !== 'object' || body === null) return [cut(whole)];
  if (Array.isArray(body)) return ['[', ...shownItems(body), ']'];
  const parts = Object.entries(body).map(([name, value]: [string, unknown]) => {
    const text = JSON.stringify(value);
    return Array.isArray(value) && text.length > LINE_MAX
      ? [`  ${name}: [`, ...shownItems(value).map((line) => `  ${line}`), '  ]']
      : [`  ${name}: ${cut(text)}`];
  });
  return ['{', ...parts.slice(0, PARTS_MAX).flat(), ...more(parts.length), '}'];
}

function shownItems(items: readonly unknown[]): string[] {
  return [...items.slice(0, PARTS_MAX).map((item) => `  ${cut(JSON.stringify(item))}`), ...more(items.length)];
}

function more(parts: number): string[] {
  return parts > PARTS_MAX ? [`  ... and ${parts - PARTS_MAX} more`] : [];
}

function cut(text: string): string {
  return text.length <= LINE_MAX ? text : `${text.slice(0, LINE_MAX)} ... (${text.length} characters)`;
}
