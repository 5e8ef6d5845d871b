import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { domesticAccount } from '../support/account-payload.ts';

export interface Target {
  url: string;
  token: string;
}

/** The final result of one account's client. */
export interface CompletedRequest {
  externalAccountNumber: string;
  serviceAccountNumber: string;
  /** 201, or 400 if an earlier response was lost and the account existed already. */
  status: 201 | 400;
}

/** Counts over a load. */
export interface LoadFigures {
  /** Responses by status, 0 for a connection that was refused or broke. */
  answers: Map<number, number>;
  /** Milliseconds and body of each 503, to find its cause. */
  unavailable: { afterMs: number; body: unknown }[];
  /** Connection errors by code. */
  faults: Map<string, number>;
  slowestAnswerMs: number;
  /** Seconds since the start at which each account was completed. */
  completedAtSeconds: number[];
}

export interface LoadOptions {
  clients: number;
  /** Wait before a resend. */
  pauseMs: number;
  /** Wait after an account is completed; none by default. */
  breakMs?: number;
  onCompleted?: (count: number) => void;
  /** Called with the status of each response, 0 for a connection that was refused or broke. */
  onAnswer?: (status: number) => void;
  stopWhen?: () => boolean;
}

/** Stages accounts `HOME-<from>` up to `HOME-<from + count - 1>`; returns their external numbers. */
export async function stageAccounts(target: Target, count: number, from = 1): Promise<string[]> {
  const accounts = Array.from({ length: count }, (_, index) =>
    domesticAccount({ import_supplier: 'SUPPLIER_FR' }, from + index),
  );
  const stage = async (account: object): Promise<void> => {
    const answer = await post(target, '/v1/data-import/account-import-process/create-or-update/', account);
    if (answer.status !== 201) throw new Error(`staging was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  };
  await pMap(accounts, stage, { concurrency: 16 });
  return accounts.map((account) => account.external_account_number);
}

/**
 * Creates accounts as suppliers do: a number of clients repeats every request with a 5xx or no response until there
 * is a final response.
 */
export async function createAccounts(
  target: Target,
  numbers: Iterable<string>,
  options: LoadOptions,
): Promise<{ completed: CompletedRequest[]; figures: LoadFigures }> {
  const completed: CompletedRequest[] = [];
  const figures: LoadFigures = {
    answers: new Map(),
    unavailable: [],
    faults: new Map(),
    slowestAnswerMs: 0,
    completedAtSeconds: [],
  };
  const started = performance.now();
  const left = Iterator.from(numbers);
  await Promise.all(
    Array.from({ length: options.clients }, async () => {
      for (const externalAccountNumber of left) {
        completed.push(await createOne(target, externalAccountNumber, options, figures));
        figures.completedAtSeconds.push((performance.now() - started) / 1_000);
        options.onCompleted?.(completed.length);
        if (options.stopWhen?.()) return;
        if (options.breakMs !== undefined) await sleep(options.breakMs);
      }
    }),
  );
  return { completed, figures };
}

async function createOne(
  target: Target,
  externalAccountNumber: string,
  { pauseMs, onAnswer }: LoadOptions,
  figures: LoadFigures,
): Promise<CompletedRequest> {
  for (;;) {
    const sentAt = performance.now();
    const answer = await post(target, '/v1/data-import/account-import-process/process/', {
      import_supplier_code: 'SUPPLIER_FR',
      external_account_number: externalAccountNumber,
      operations_team_name: 'Migration',
    }).catch((error: Error) => {
      add(figures.faults, (error.cause as { code?: string } | undefined)?.code ?? error.message);
      return { status: 0, body: undefined };
    });
    add(figures.answers, answer.status);
    onAnswer?.(answer.status);
    const afterMs = performance.now() - sentAt;
    if (answer.status === 503) figures.unavailable.push({ afterMs, body: answer.body });
    figures.slowestAnswerMs = Math.max(figures.slowestAnswerMs, afterMs);
    if (
      answer.status === 201 ||
      (answer.status === 400 && answer.body?.code === 'account_import_process_already_imported')
    ) {
      return { externalAccountNumber, serviceAccountNumber: answer.body.service_account_number, status: answer.status };
    }
    if (answer.status > 0 && answer.status !== 503) {
      throw new Error(`creation was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    await sleep(pauseMs);
  }
}

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

async function post({ url, token }: Target, path: string, body: unknown): Promise<{ status: number; body: any }> {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Token ${token}` },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}
