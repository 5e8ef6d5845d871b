import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { domesticAccount, meterPointNumber } from '../support/account-payload.ts';

export type CallKind = 'validate' | 'stage' | 'status' | 'create' | 'look up';

export interface Call {
  kind: CallKind;
  /** Start time, by `performance.now()`. */
  at: number;
  ms: number;
  /** Unexpected results: a status other than 2xx, or no response. */
  refusal?: string;
}

export interface Bystander {
  calls: Call[];
  /**
   * Makes this call too from now on, beside validate, stage and status; the returned function stops it and resolves
   * after its last response.
   */
  alsoCall(kind: CallKind): () => Promise<void>;
  /** Resolves when the calls in progress have been answered. */
  stop(): Promise<void>;
}

const V1 = '/v1/data-import';
const TIME_LIMIT_MS = 60_000;
/** A batch of the bystander has few points. */
const POINTS = 5;
const STATUS_EVERY_MS = 200;

interface Answer {
  status: number;
  body: Record<string, unknown>;
}
type Send = (method: string, path: string, body?: object) => Promise<Answer>;

/**
 * A well-behaved client of the import supplier SUPPLIER_FR with its own key, which calls at even intervals.
 * @param everyMs interval of each kind of call, regardless of earlier results
 */
export async function startBystander(url: string, token: string, everyMs: number): Promise<Bystander> {
  // With one free connection, which every call uses, none is idle until the service closes it: every reset is a fault.
  // Reads use a new connection each time, to show that new connections are accepted.
  const [kept, fresh] = [new Agent({ keepAlive: true, maxFreeSockets: 1 }), new Agent({ keepAlive: false })];
  const makers = callsBy((method, path, body) =>
    send(url + path, {
      method,
      token,
      agent: method === 'GET' ? fresh : kept,
      ...(body === undefined ? {} : { body }),
    }),
  );
  const calls: Call[] = [];
  const make = async (kind: CallKind): Promise<void> => {
    const at = performance.now();
    const refusal = await makers[kind]().catch((error: Error) => error.message);
    calls.push({
      kind,
      at,
      ms: performance.now() - at,
      ...(refusal === undefined ? {} : { refusal: `${kind}: ${refusal}` }),
    });
  };
  const repeat = (kind: CallKind, intervalMs: number): (() => Promise<void>) => {
    const inProgress = new Set<Promise<void>>();
    const timer = setInterval(() => {
      const made: Promise<void> = make(kind).finally(() => inProgress.delete(made));
      inProgress.add(made);
    }, intervalMs);
    return async () => {
      clearInterval(timer);
      await Promise.all(inProgress);
    };
  };
  // The first account is stored before its status is requested.
  await make('stage');
  const ends = (['validate', 'stage', 'status'] as const).map((kind) => repeat(kind, everyMs));
  return {
    calls,
    alsoCall: (kind) => repeat(kind, kind === 'look up' ? 1_000 : everyMs * 2),
    stop: async () => {
      for (const end of ends) await end();
      kept.destroy();
    },
  };
}

/** Each kind of call; resolves to the rejection, if any. */
function callsBy(sendIt: Send): Record<CallKind, () => Promise<string | undefined>> {
  let number = 0;
  const next = () => {
    number += 1;
    return domesticAccount({ import_supplier: 'SUPPLIER_FR' }, number);
  };
  const stage = (account: object) => sendIt('POST', `${V1}/account-import-process/create-or-update/`, account);
  return {
    validate: async () => refusalOf(await sendIt('POST', `${V1}/validate-account/`, next())),
    stage: async () => refusalOf(await stage(next())),
    status: async () =>
      refusalOf(
        await sendIt(
          'GET',
          `${V1}/account-transfer-status/SUPPLIER_FR/${domesticAccount({}, 1).external_account_number}/`,
        ),
      ),
    create: async () => {
      const account = next();
      return (
        refusalOf(await stage(account)) ??
        refusalOf(
          await sendIt('POST', `${V1}/account-import-process/process/`, {
            import_supplier_code: 'SUPPLIER_FR',
            external_account_number: account.external_account_number,
            operations_team_name: 'Migration',
          }),
        )
      );
    },
    'look up': async () => {
      const accepted = await sendIt('POST', `${V1}/supply-point/populate/`, {
        prm_ids: Array.from({ length: POINTS }, () => meterPointNumber(2, 90_000_000 + (number += 1))),
      });
      for (
        let answer = accepted;
        ;
        answer = await sendIt('GET', `${V1}/supply-point/populate/${String(accepted.body['batch_id'])}/`)
      ) {
        const refusal = refusalOf(answer);
        if (refusal !== undefined || answer.body['status'] === 'COMPLETED') return refusal;
        await sleep(STATUS_EVERY_MS);
      }
    },
  };
}

const refusalOf = ({ status, body }: Answer): string | undefined =>
  status >= 200 && status < 300 ? undefined : `${status} ${String(body['code'])}`;

function send(
  url: string,
  { method, token, agent, body }: { method: string; token: string; agent: Agent; body?: object },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Token ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const sent = request(url, { method, agent, headers, timeout: TIME_LIMIT_MS }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.once('end', () =>
        resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) as Record<string, unknown> }),
      );
      answer.once('error', reject);
    });
    sent.once('timeout', () => sent.destroy(new Error(`no answer within ${TIME_LIMIT_MS} ms`)));
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
