import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from '../../foundation/listening-server.ts';
import { tableOf } from '../../foundation/table.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConstantBackoff, handleAll, retry } from 'cockatiel';

export interface IndustrySwitchSimulator {
  /** The address to set as INDUSTRY_SWITCH_URL. */
  url: string;
  /** Ids of all requests in order of arrival, including repeated ones. */
  readonly requests: readonly string[];
  stop(): Promise<void>;
}

export interface SimulatorOptions {
  host?: string | undefined;
  port?: number | undefined;
  /** Data folder of a running `npm start`: messages are sent to the API listed in its up.json. */
  dataDir?: string | undefined;
  /** Receives the messages instead of the API. */
  deliver?: (messages: MarketMessage[]) => Promise<void>;
  /** Time between a response and the first message, and between messages. */
  pauseMs?: number;
}

/** A switch request on the wire. */
interface SwitchRequest {
  request_id: string;
  supply_point_identifier: string;
  reference: { import_supplier: string; external_account_number: string };
}

type Outcome = MarketMessage['outcome'];

/** The behavior for a point: `answer` is the response or a failure; `says` lists the market messages that follow, in order. */
interface Behaviour {
  /** Description for docs/running/outside-parties.md. */
  about: string;
  answer?: 'ACCEPTED' | 'RECEIVED' | 'REJECTED' | 'busy' | 'down' | 'slow' | 'malformed' | 'credentials';
  /** Number of calls for the point that fail before it is accepted; all if undefined. */
  forCalls?: number;
  messages?: readonly Outcome[];
  /** Sends each message twice. */
  twice?: boolean;
  /** The first message names an unknown point. */
  strangePoint?: boolean;
}

/** By the first four digits of a point. Any other point is accepted, then completed by a message. */
export const magicPoints = tableOf<Behaviour>({
  9901: { about: 'rejects immediately', answer: 'REJECTED', messages: [] },
  9902: { about: 'is busy for two calls, then accepts', answer: 'busy', forCalls: 2 },
  9903: { about: 'is down', answer: 'down' },
  9904: { about: 'answers the first call too late, having taken it', answer: 'slow', forCalls: 1 },
  9905: { about: 'returns an unreadable response', answer: 'malformed' },
  9906: { about: 'accepts, and rejects by message', messages: ['REJECTED'] },
  9907: { about: 'answers by messages, the last one first', answer: 'RECEIVED', messages: ['COMPLETED', 'ACCEPTED'] },
  9908: { about: 'sends each message twice', messages: ['COMPLETED'], twice: true },
  9909: { about: 'names an unknown supply point', messages: ['COMPLETED'], strangePoint: true },
  9910: { about: 'answers by messages, in order', answer: 'RECEIVED', messages: ['ACCEPTED', 'COMPLETED'] },
  9911: { about: 'accepts, and says nothing more', messages: [] },
  9912: { about: 'is down for two calls, then accepts', answer: 'down', forCalls: 2 },
  9913: { about: 'refuses our credentials', answer: 'credentials' },
});

const PAUSE_MS = 1_500;
const ORDER: Record<Outcome, number> = { ACCEPTED: 1, REJECTED: 2, COMPLETED: 3 };

/** Starts a simulator of the industry switch, which accepts requests and reports the outcomes by market messages. */
export async function startIndustrySwitchSimulator(options: SimulatorOptions = {}): Promise<IndustrySwitchSimulator> {
  const stopping = new AbortController();
  const deliver =
    options.deliver ?? (options.dataDir === undefined ? undefined : deliverToApi(options.dataDir, stopping.signal));
  const messenger = createMessenger(deliver, options.pauseMs ?? PAUSE_MS);
  const handler = handleSwitchRequests(messenger.sendLater);
  const server = createServer((request, response) => {
    void readRequest(request).then((sent) => {
      if (request.method !== 'POST' || request.url !== '/v1/switch-requests' || sent === undefined) {
        return end(response, 400, { code: 'BAD_REQUEST', answered_at: new Date().toISOString() });
      }
      return handler.answer(sent, response);
    });
  });
  const listening = await listen(server, options);
  return {
    url: listening.url,
    requests: handler.requests,
    stop: async () => {
      stopping.abort();
      messenger.stop();
      await listening.stop();
    },
  };
}

/** Sends messages one after the other, with a pause before each. */
function createMessenger(deliver: SimulatorOptions['deliver'], pauseMs: number) {
  const timers = new Set<NodeJS.Timeout>();
  return {
    sendLater: (messages: readonly MarketMessage[]): void => {
      for (const [index, message] of messages.entries()) {
        const timer = setTimeout(
          () => {
            timers.delete(timer);
            void deliver?.([message]).catch(() => {});
          },
          pauseMs * (index + 1),
        );
        timers.add(timer);
      }
    },
    stop: (): void => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** Processes each request once, and responds according to the behavior of its point. */
function handleSwitchRequests(sendLater: (messages: readonly MarketMessage[]) => void) {
  const requests: string[] = [];
  const calls = new Map<string, number>();
  /** The response to each request id. */
  const answered = new Map<string, { status: number; body: object }>();
  const accept = (sent: SwitchRequest): { status: number; body: object } => {
    const known = answered.get(sent.request_id);
    if (known !== undefined) return known;
    const behaviour = behaviourOf(sent);
    const now = new Date();
    const answer = answerOf(sent, behaviour, now);
    answered.set(sent.request_id, answer);
    sendLater(messagesOf(sent, behaviour, now));
    return answer;
  };
  return {
    requests: requests as readonly string[],
    answer: (sent: SwitchRequest, response: ServerResponse): void => {
      requests.push(sent.request_id);
      const call = (calls.get(sent.supply_point_identifier) ?? 0) + 1;
      calls.set(sent.supply_point_identifier, call);
      const { answer, forCalls = Number.POSITIVE_INFINITY } = behaviourOf(sent);
      const fail = answer === undefined || call > forCalls ? undefined : FAILURE.get(answer);
      // A slow request is processed too: a retry with the same id finds its result.
      if (fail !== undefined && answer === 'slow') accept(sent);
      if (fail !== undefined) return fail(response);
      const { status, body } = accept(sent);
      end(response, status, body);
    },
  };
}

const FAILURE = tableOf<(response: ServerResponse) => void>({
  busy: (response) => end(response, 429, {}, { 'retry-after': '1' }),
  down: (response) => end(response, 503, {}),
  slow: () => {},
  malformed: (response) => response.writeHead(202).end('<taken/>'),
  credentials: (response) => end(response, 401, {}),
});

function behaviourOf({ supply_point_identifier: point }: SwitchRequest): Omit<Behaviour, 'about'> {
  return { messages: ['COMPLETED'], ...magicPoints.get(point.slice(0, 4)) };
}

function answerOf(
  { request_id }: SwitchRequest,
  { answer }: Pick<Behaviour, 'answer'>,
  now: Date,
): { status: number; body: object } {
  const answered_at = now.toISOString();
  if (answer === 'REJECTED') return { status: 422, body: { request_id, code: 'POINT_NOT_SWITCHABLE', answered_at } };
  return { status: 202, body: { request_id, status: answer === 'RECEIVED' ? answer : 'ACCEPTED', answered_at } };
}

/** Timestamps follow the order of the switch, even if messages are sent in another order. */
function messagesOf(
  { request_id: requestId, supply_point_identifier: point, reference }: SwitchRequest,
  { messages = [], twice, strangePoint }: Omit<Behaviour, 'about'>,
  from: Date,
): MarketMessage[] {
  return messages.flatMap((outcome, index) => {
    const message: MarketMessage = {
      message_id: `${requestId}/${index + 1}`,
      ...reference,
      outcome,
      supply_point_identifier: strangePoint && index === 0 ? '99999999999999' : point,
      occurred_at: new Date(from.getTime() + ORDER[outcome]).toISOString(),
      ...(outcome === 'REJECTED' ? { reason: 'CONTRACT_WITH_FORMER_SUPPLIER' } : {}),
    };
    return twice ? [message, message] : [message];
  });
}

async function readRequest(request: IncomingMessage): Promise<SwitchRequest | undefined> {
  try {
    const sent = (await json(request)) as SwitchRequest;
    return typeof sent.request_id === 'string' && typeof sent.supply_point_identifier === 'string' ? sent : undefined;
  } catch {
    return undefined;
  }
}

function end(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** A market message as accepted by `POST /v1/operations/market-messages/`. */
export interface MarketMessage {
  message_id: string;
  import_supplier: string;
  external_account_number: string;
  supply_point_identifier: string;
  outcome: 'ACCEPTED' | 'REJECTED' | 'COMPLETED';
  occurred_at: string;
  reason?: string;
}

const TRY_AGAIN_MS = 1_000;

/**
 * Sends messages to the API of a running `npm start`, with its operator key, and retries until they are accepted. A message may be sent
 * twice, but none is lost.
 * @param dataDir its data folder, which contains up.json and the key once it is ready
 */
function deliverToApi(dataDir: string, stopping: AbortSignal): (messages: MarketMessage[]) => Promise<void> {
  let token: string | undefined;
  const retries = retry(handleAll, { maxAttempts: Infinity, backoff: new ConstantBackoff(TRY_AGAIN_MS) });
  /** Fails while the API is starting or stopping. */
  const send = async (messages: MarketMessage[]): Promise<void> => {
    if (stopping.aborted) return;
    const { http, operator_key_file: keyFile } = JSON.parse(await readFile(join(dataDir, 'up.json'), 'utf8')) as {
      http: string;
      operator_key_file: string;
    };
    token ??= await obtainToken(http, (await readFile(keyFile, 'utf8')).trim());
    const answer = await fetch(`${http}/v1/operations/market-messages/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Token ${token}` },
      body: JSON.stringify(messages),
      signal: stopping,
    });
    if (answer.status === 401) token = undefined;
    if (!answer.ok) throw new Error(`the API answered ${answer.status}`);
  };
  return (messages) => retries.execute(() => send(messages), stopping).catch(() => {});
}

async function obtainToken(http: string, key: string): Promise<string> {
  const query = 'mutation ($key: String!) { obtainToken(input: { organizationSecretKey: $key }) { token } }';
  const answer = await fetch(`${http}/graphql/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { key } }),
  });
  const { data } = (await answer.json()) as { data?: { obtainToken?: { token?: string } } };
  if (!data?.obtainToken?.token) throw new Error('no token was given');
  return data.obtainToken.token;
}
