import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

interface Answer {
  status: number;
  body: unknown;
}

/**
 * Obtains a token for an API key.
 * @throws Error if the service rejects the key
 */
export async function obtainToken(http: string, key: string): Promise<string> {
  const query = 'mutation ($key: String!) { obtainToken(input: { organizationSecretKey: $key }) { token } }';
  const { body } = await call(http, 'POST', '/graphql/', '', { query, variables: { key } });
  const token = (body as { data?: { obtainToken?: { token?: string } } }).data?.obtainToken?.token;
  if (!token) throw new Error(`The demo could not obtain a token: ${JSON.stringify(body)}`);
  return token;
}

/** Calls the API; without a token if `token` is empty. */
export async function call(http: string, method: string, path: string, token: string, body?: unknown): Promise<Answer> {
  const response = await fetch(http + path, {
    method,
    headers: {
      ...(token ? { authorization: `Token ${token}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** Uploads records as JSON lines, compressed with gzip. */
export async function upload(http: string, path: string, token: string, records: readonly object[]): Promise<Answer> {
  const response = await fetch(http + path, {
    method: 'PUT',
    headers: { authorization: `Token ${token}`, 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
    body: gzipSync(records.map((record) => `${JSON.stringify(record)}\n`).join('')),
  });
  return { status: response.status, body: await response.json() };
}

/** Reads a response of JSON lines. */
export async function readLines(http: string, path: string, token: string): Promise<Record<string, unknown>[]> {
  const response = await fetch(http + path, { headers: { authorization: `Token ${token}` } });
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

export interface DemoOptions {
  http: string;
  operatorKey: string;
  print: (line: string) => void;
  /** False if the output is not a terminal. */
  isColored: boolean;
}

/** Longest line of a response, in characters. */
const LINE_MAX = 160;
/** Number of members and items that are shown of a longer response. */
const PARTS_MAX = 6;
/** The dispatcher starts scheduled work every 30 seconds. */
const SWITCHED_WITHIN_MS = 120_000;
const POLL_EVERY_MS = 500;
/** An unchanged status is printed again after this time, to show that the demo still runs. */
const PRINT_EVERY_MS = 5_000;

/** Runs and prints the calls of the demo. */
export interface Demo {
  supplier: string;
  /** Part of all account numbers, so that several runs can use the same database. */
  run: string;
  heading(text: string): void;
  /** Makes a call and prints it with its response. @throws Error if the response has another status */
  step(what: string, method: string, path: string, expected: number, body?: unknown): Promise<void>;
  /** Polls until the resource has the expected status, and prints each change. @throws Error after two minutes */
  follow(path: string, expected: string): Promise<void>;
}

/** @param token returns the token of the next call */
export function startDemo({ http, print, isColored }: DemoOptions, token: () => string): Demo {
  const paint = (code: number, text: string) => (isColored ? `\u001B[${code}m${text}\u001B[0m` : text);
  const run = Date.now().toString(36).toUpperCase();
  return {
    run,
    supplier: `DEMO_${run}`,
    heading: (text) => print(`\n${paint(1, text)}`),
    step: async (what, method, path, expected, body) => {
      const answer = await call(http, method, path, token(), body);
      const isExpected = answer.status === expected;
      print(`  ${paint(isExpected ? 32 : 31, String(answer.status))}  ${what}`);
      print(paint(2, `       ${method} ${path}`));
      for (const line of shownBody(answer.body)) print(paint(2, `       ${line}`));
      if (!isExpected) throw new Error(`The demo expected status ${expected} for "${what}", but got ${answer.status}.`);
    },
    follow: (path, expected) =>
      follow(
        () => call(http, 'GET', path, token()),
        expected,
        (line) => print(`       ${paint(2, line)}`),
      ),
  };
}

async function follow(read: () => Promise<Answer>, expected: string, print: (line: string) => void): Promise<void> {
  let last = '';
  let printedAt = 0;
  for (const until = Date.now() + SWITCHED_WITHIN_MS; last !== expected; await sleep(POLL_EVERY_MS)) {
    const { status = '' } = (await read()).body as { status?: string };
    if (status !== last || Date.now() - printedAt > PRINT_EVERY_MS) {
      print(`${new Date().toISOString().slice(11, 19)} ${status === last ? `still ${status}` : status}`);
      printedAt = Date.now();
    }
    last = status;
    if (Date.now() > until) throw new Error(`The demo expected the status ${expected}, but it is still ${last}.`);
  }
}

/** A response as lines: a short one in full, a longer one shortened to its first members and items. */
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
