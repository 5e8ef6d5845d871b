import { Agent, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { CallKind } from './bystander.ts';

/** Time after which an attacker gives up on a response. */
const TIMEOUT_MS = 30_000;

export interface AttackRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: Buffer;
  isGzipped?: boolean;
  /** The attacker's own token by default; null sends none. */
  token?: string | null;
}

export interface Target {
  url: string;
  /** A key of the import supplier ATTACKER. */
  token: string;
  /** Overrides the duration of an attack without a count. */
  seconds?: number;
}

export interface Flood {
  connections: number;
  /** No request is sent after this time; those in progress are awaited. */
  seconds: number;
  /** Maximum number of requests in all. */
  count?: number;
  /** Requests a second over all connections; by default as fast as responses arrive. */
  perSecond?: number;
  /** Number of addresses of this machine that the connections come from; one by default. */
  addresses?: number;
  next: (index: number) => AttackRequest;
}

/** Responses by status, or by the error code of the connection. */
export type Answers = Record<string, number>;

/** An attack on a running service. */
export interface Attack {
  name: string;
  /** The bystander's calls to measure, if not all. */
  watched?: CallKind;
  /** Seconds to measure without the attack; more where a call takes long. */
  quietSeconds?: number;
  /** Requests that need no data of the service, so they can be sent to any server. */
  isFlood?: boolean;
  /** Prepares the data before the measurement; resolves to the attack. */
  prepare(target: Target): Promise<() => Promise<Answers>>;
}

/** A request with a JSON body, serialized once. */
export function post(
  path: string,
  body: string | object,
  { isGzipped = false }: { isGzipped?: boolean } = {},
): AttackRequest {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { method: 'POST', path, body: isGzipped ? gzipSync(bytes) : bytes, isGzipped };
}

/** An address of the loopback network that the bystander does not use. Only Linux has all of them without set-up. */
export function attackersAddress(index: number): string | undefined {
  return process.platform === 'linux' ? `127.7.${(index >> 8) & 255}.${(index & 255) + 1}` : undefined;
}

/** Sends one request and reads the whole response; a connection error counts as a response. */
export function sendOne(
  target: Target,
  { method, path, body, isGzipped, token }: AttackRequest,
  agent: Agent,
): Promise<{ status: string; text: string }> {
  return new Promise((resolve) => {
    const sender = token === undefined ? target.token : token;
    const sent = request(
      target.url + path,
      {
        method,
        agent,
        timeout: TIMEOUT_MS,
        headers: {
          ...(sender === null ? {} : { authorization: `Token ${sender}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(body.length) }),
          ...(isGzipped ? { 'content-encoding': 'gzip' } : {}),
        },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.once('end', () => resolve({ status: String(answer.statusCode), text }));
        answer.once('error', (error: NodeJS.ErrnoException) => resolve({ status: error.code ?? 'broken', text }));
      },
    );
    sent.once('timeout', () => sent.destroy(new Error('no answer')));
    sent.once('error', (error: NodeJS.ErrnoException) => resolve({ status: error.code ?? error.message, text: '' }));
    sent.end(body);
  });
}

/** Sends requests over many connections until the time or the count is used up. */
export async function flood(
  target: Target,
  { connections, seconds, count = Number.POSITIVE_INFINITY, perSecond, addresses = 1, next }: Flood,
): Promise<Answers> {
  const answers: Answers = {};
  const started = performance.now();
  const lastsMs = 1_000 * (count === Number.POSITIVE_INFINITY ? (target.seconds ?? seconds) : seconds);
  let sent = 0;
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      const localAddress = attackersAddress(connection % addresses);
      const agent = new Agent({
        keepAlive: true,
        maxSockets: 1,
        ...(localAddress === undefined ? {} : { localAddress }),
      });
      while (sent < count && performance.now() - started < lastsMs) {
        const index = sent;
        sent += 1;
        if (perSecond !== undefined) await until(started + (index / perSecond) * 1_000);
        const { status } = await sendOne(target, next(index), agent);
        answers[status] = (answers[status] ?? 0) + 1;
      }
      agent.destroy();
    }),
  );
  return answers;
}

async function until(moment: number): Promise<void> {
  const left = moment - performance.now();
  if (left > 0) {
    await new Promise((resolve) => {
      setTimeout(resolve, left);
    });
  }
}
