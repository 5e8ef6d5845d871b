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

/**
 * Calls the API; without a token if `token` is empty.
 * @param body a list to upload is sent as JSON lines, compressed with gzip
 * @returns JSON lines as a list
 */
export async function call(http: string, method: string, path: string, token: string, body?: object): Promise<Answer> {
  const isUpload = Array.isArray(body) && method === 'PUT';
  const headers = {
    ...(token && { authorization: `Token ${token}` }),
    ...(body && { 'content-type': isUpload ? 'application/x-ndjson' : 'application/json' }),
    ...(isUpload && { 'content-encoding': 'gzip' }),
  };
  const sent = isUpload ? gzipSync(body.map((one) => `${JSON.stringify(one)}\n`).join('')) : JSON.stringify(body);
  const response = await fetch(http + path, { method, headers, body: sent });
  const text = await response.text();
  const isLines = response.headers.get('content-type')?.startsWith('application/x-ndjson');
  return { status: response.status, body: JSON.parse(isLines ? `[${text.trim().replaceAll('\n', ',')}]` : text) };
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

/** Runs and prints the calls of the demo. A request is `<method> <path>`; the path is below `/v1/`. */
export interface Demo {
  supplier: string;
  /** Part of all account numbers, so that several runs can use the same database. */
  run: string;
  print(line: string): void;
  heading(text: string): void;
  /** Makes the following calls with this key. */
  signIn(key: string): Promise<void>;
  /** Makes a call and returns the body of its response, without printing it. */
  call<Body>(request: string, body?: object): Promise<Body>;
  /** Makes a call and prints it with its response. @throws Error if the response has another status */
  step(expected: number, request: string, what: string, body?: object): Promise<void>;
  /** An example of a request's body in the OpenAPI document: the first, or the one with this name. */
  example<Body = object>(request: string, name?: string): Body;
  /** Polls until the resource has the expected status, and prints each change. @throws Error after two minutes */
  follow(path: string, expected: string): Promise<void>;
}

/** The requests that the OpenAPI document of the service describes, by path and method. */
interface OpenApiDocument {
  paths: Record<
    string,
    Record<
      string,
      { requestBody: { content: { 'application/json': { examples: Record<string, { value: object }> } } } }
    >
  >;
}

/** Creates the demo of a service; `signIn` comes first. */
export async function startDemo({ http, print, isColored }: DemoOptions): Promise<Demo> {
  const { paths } = (await call(http, 'GET', '/openapi.json', '')).body as OpenApiDocument;
  const paint = (code: number, text: string) => (isColored ? `\u001B[${code}m${text}\u001B[0m` : text);
  const run = Date.now().toString(36).toUpperCase();
  let token = '';
  const send = (request: string, body?: object) => {
    const [method = '', path = ''] = request.split(' ');
    return call(http, method, `/v1/${path}`, token, body);
  };
  const demo: Demo = {
    run,
    supplier: `DEMO_${run}`,
    print,
    heading: (text) => print(`\n${paint(1, text)}`),
    signIn: async (key) => {
      token = await obtainToken(http, key);
    },
    call: async (request, body) => (await send(request, body)).body as never,
    step: async (expected, request, what, body) => {
      const answer = await send(request, body);
      const isExpected = answer.status === expected;
      print(`  ${paint(isExpected ? 32 : 31, String(answer.status))}  ${what}`);
      print(paint(2, `       ${request.replace(' ', ' /v1/')}`));
      for (const line of shownBody(answer.body)) print(paint(2, `       ${line}`));
      if (!isExpected) throw new Error(`The demo expected status ${expected} for "${what}", but got ${answer.status}.`);
    },
    example: (request, name) => {
      const [method = '', path = ''] = request.split(' ');
      const { examples } = paths[`/v1/${path}`]![method.toLowerCase()]!.requestBody.content['application/json'];
      return (name === undefined ? Object.values(examples)[0] : examples[name])!.value as never;
    },
    follow: (path, expected) => follow({ ...demo, print: (line) => print(`       ${paint(2, line)}`) }, path, expected),
  };
  return demo;
}

async function follow({ call: read, print }: Demo, path: string, expected: string): Promise<void> {
  let last = '';
  let printedAt = 0;
  for (const until = Date.now() + SWITCHED_WITHIN_MS; last !== expected; await sleep(POLL_EVERY_MS)) {
    const { status = '' } = await read<{ status?: string }>(`GET ${path}`);
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
