import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { writeEventsSql } from '../../src/events/event.store.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { statement } from '../support/attachments.ts';
import { send } from '../support/harness.ts';
import { issueToken } from '../support/issue-token.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { nextLines, runJob } from './jobs.ts';
import { lookupByService } from './population.ts';
import type { DevelopmentStack } from './stack.ts';
import { benchAccount, benchAttachments, stageMany, withClient } from './stage-set.ts';

const SCALE = Number(process.env['BENCH_SCALE'] ?? 1);
const CALLERS = 32;
const DATA_IMPORT = '/v1/data-import';

/** Where operations are sent. */
export interface Scene {
  stack: DevelopmentStack;
  http: string;
  token: string;
  operatorToken: string;
  print(line: string): void;
}

/** One kind of operation; its preparation is not counted. */
export interface Operation {
  name: string;
  count: number;
  /** Whether to measure the growth of tables, too. */
  isMeasuredInBytes?: boolean;
  /** Prepares the data; returns the work that is counted. */
  prepare(count: number): Promise<() => Promise<unknown>>;
}

let sequence = 60_000_000;
/** Reserves numbers that no operation has used. */
function numbers(count: number): number[] {
  const first = sequence + 1;
  sequence += count;
  return Array.from({ length: count }, (_, index) => first + index);
}
const externalOf = (number: number) => `EXT-${String(number).padStart(8, '0')}`;
/** A count multiplied by BENCH_SCALE. */
const scaled = (count: number) => Math.ceil(count * SCALE);

/** All measured operations, in order. */
export function operationsOf(scene: Scene): Operation[] {
  return [...requestsOf(scene), ...jobsOf(scene), ...othersOf(scene)];
}

/** Single requests, each for another account. */
function requestsOf(scene: Scene): Operation[] {
  const post = (path: string, body: unknown) => accepted(scene, `${DATA_IMPORT}/${path}/`, body);
  const each = (
    name: string,
    count: number,
    callers: number,
    call: (number: number) => Promise<unknown>,
    ready?: (all: readonly number[]) => Promise<unknown>,
  ): Operation => ({
    name,
    count: scaled(count),
    prepare: async (wanted) => {
      const all = numbers(wanted);
      await ready?.(all);
      return () => pMap(all, call, { concurrency: callers });
    },
  });
  const account = JSON.stringify(benchAccount());
  const accountOf = (number: number) => account.replace('EXT-00000000', externalOf(number));
  const staged = ([first = 0, ...rest]: readonly number[]) => stageMany(scene.stack.database, first, rest.length + 1);
  const create = (number: number) =>
    post('account-import-process/process', {
      external_account_number: externalOf(number),
      import_supplier_code: 'BENCH',
      operations_team_name: 'Migration',
    });
  const created = async (all: readonly number[]) => {
    await staged(all);
    await pMap(all, create, { concurrency: CALLERS });
  };
  const attached = (path: string, item: object) => (number: number) =>
    post(path, { import_supplier: 'BENCH', external_account_number: externalOf(number), ...item });
  const one = (kind: 'notes' | 'transactions') => ({ [kind]: (benchAttachments(kind)[kind] as unknown[]).slice(0, 1) });
  const instruction = (number: number) =>
    attached('payment-instruction/create', { vendor: 'SLIMPAY', type: 'DIRECT_DEBIT', reference: `RUM-${number}` })(
      number,
    );
  return [
    // Many requests, as a process that was idle is slow at first.
    each('validate', 30_000, CALLERS, (number) => post('validate-account', accountOf(number))),
    each('stage', 15_000, CALLERS, (number) => post('account-import-process/create-or-update', accountOf(number))),
    each('create, alone', 200, 1, create, staged),
    each(`create, ${CALLERS} callers`, 2_000, CALLERS, create, staged),
    each('note', 800, CALLERS, attached('notes/create', one('notes')), created),
    each('transaction', 800, CALLERS, attached('transactions/create', one('transactions')), created),
    each(
      'statement',
      800,
      CALLERS,
      attached('historical-statements/create', { statements: [statement('S-1')] }),
      created,
    ),
    each('payment instruction', 400, 8, instruction, created),
  ];
}

/** A line of a job; accounts to be created are 4 KB with two supply points. */
function jobsOf({ http, token, print }: Scene): Operation[] {
  const job = (name: string, goal: string): Operation => ({
    name,
    count: scaled(5_000),
    prepare: async (count) => {
      const lines = nextLines(count);
      return () => runJob({ http, token }, goal, lines);
    },
  });
  return [
    job('job line, VALIDATE', 'VALIDATE'),
    job('job line, STAGE', 'STAGE'),
    job('job line, REHEARSE', 'REHEARSE'),
    { ...job('job line, CREATE', 'CREATE'), isMeasuredInBytes: true },
    {
      name: 'payment instruction of a job',
      count: scaled(2_000),
      prepare: async (count) => {
        const accounts = nextLines(count);
        await runJob({ http, token }, 'CREATE', accounts);
        const lines = accounts.map((account, index) =>
          JSON.stringify({
            external_account_number: (JSON.parse(account) as { external_account_number: string })
              .external_account_number,
            vendor: 'STRIPE',
            type: 'CARD',
            reference: `pm_${numbers(1)[0]}_${index}`,
          }),
        );
        return async () => {
          const { seconds } = await runJob({ http, token }, 'IMPORT', lines, undefined, {
            kind: 'payment-instructions',
          });
          print(`  ${(count / seconds).toFixed(0)} a second`);
        };
      },
    },
  ];
}

function othersOf(scene: Scene): Operation[] {
  const { stack, http, token } = scene;
  return [
    {
      name: 'supply point looked up',
      count: scaled(5_000),
      isMeasuredInBytes: true,
      prepare: async (count) => () =>
        lookupByService({ http, token, workerPid: stack.pids().worker[0]!, print: () => {} }, count),
    },
    {
      name: 'switch requested and completed',
      count: scaled(120),
      isMeasuredInBytes: true,
      prepare: (count) => prepareSwitches(scene, count),
    },
    { name: 'event delivered', count: scaled(3_000), prepare: (count) => prepareEvents(scene, count) },
    { name: 'vacuum after a job line, CREATE', count: scaled(5_000), prepare: (count) => prepareVacuum(scene, count) },
    { name: 'account reconciled', count: scaled(5_000), prepare: (count) => prepareReconciliation(scene, count) },
  ];
}

async function accepted({ http, token }: Pick<Scene, 'http' | 'token'>, path: string, body: unknown) {
  const answer = await send(http, 'POST', path, { token, body, headers: { 'content-type': 'application/json' } });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
  return answer;
}

/** An import supplier for these accounts alone. */
async function ownSupplier({ stack }: Scene, options: object): Promise<{ code: string; token: string }> {
  const code = `S${numbers(1)[0]}`;
  return withClient(stack.database, async (client) => {
    await client.query(`insert into import_supplier (code, name, options) values ($1, $1, $2)`, [code, options]);
    return { code, token: await issueToken(client, 'supplier', [code]) };
  });
}

/** Creates due accounts of one point; then their switches begin, and end with one message each. */
async function prepareSwitches(scene: Scene, count: number): Promise<() => Promise<void>> {
  const { stack, http, operatorToken } = scene;
  const { code, token } = await ownSupplier(scene, { industry_switch: false });
  const externals = numbers(count).map(externalOf);
  const lines = externals.map((external, index) => JSON.stringify(switchedAccount(code, external, sequence - index)));
  await runJob({ http, token }, 'CREATE', lines, undefined, { supplier: code });
  const statusIs = async (status: string) => {
    for (;;) {
      const done = await withClient(stack.database, async (client) =>
        Number(
          (
            await client.query('select count(*) from account where import_supplier = $1 and switch_status = $2', [
              code,
              status,
            ])
          ).rows[0].count,
        ),
      );
      if (done === count) return;
      await sleep(1_000);
    }
  };
  return async () => {
    await withClient(stack.database, (client) =>
      client.query(
        `with enabled as (update import_supplier set options = '{}' where code = $1)
         insert into work_item (workflow_id, kind, input, start_at)
         select 'switch-supplier/' || number, 'switch-supplier', jsonb_build_object('accountNumber', number, 'importSupplier', $1::text, 'externalAccountNumber', external_account_number), now()
         from account where import_supplier = $1`,
        [code],
      ),
    );
    await statusIs('IN_PROGRESS');
    for (const external of externals) {
      const message = {
        message_id: `completed/${external}`,
        import_supplier: code,
        external_account_number: external,
        outcome: 'COMPLETED',
        occurred_at: new Date().toISOString(),
      };
      await accepted({ http, token: operatorToken }, '/v1/operations/market-messages/', [message]);
    }
    await statusIs('COMPLETED');
  };
}

/** One point; the simulated industry switch accepts it and sends nothing further. */
function switchedAccount(supplier: string, external: string, unique: number): object {
  const account = domesticAccount({ import_supplier: supplier, external_account_number: external }, unique);
  const supply_points = [
    {
      identifier: `9911${String(unique).padStart(10, '0')}`,
      supply_start_date: '2022-10-01',
      supply_type: 'ELECTRICITY',
    },
  ];
  const [address] = account.supply_addresses!;
  delete account.payment_preferences;
  return { ...account, supply_addresses: [{ ...address, supply_points }] };
}

/**
 * Events of as many subjects, of a supplier with an endpoint; written in one transaction, then sequenced and
 * delivered.
 */
async function prepareEvents(scene: Scene, count: number): Promise<() => Promise<void>> {
  const { stack, http, operatorToken } = scene;
  const { code } = await ownSupplier(scene, {});
  const receiver = await startWebhookReceiver();
  const endpoint = { import_supplier: code, url: receiver.url, reason: 'costs' };
  const { body } = await accepted({ http, token: operatorToken }, '/v1/operations/event-endpoints/', endpoint);
  receiver.secret = body.secret;
  return async () => {
    await withClient(stack.database, (client) =>
      client.query(
        writeEventsSql(
          `select $1, null, 'import.account.created.v1', 'accounts/' || n, jsonb_build_object('external_account_number', n::text) from generate_series(1, $2::integer) n`,
        ),
        [code, count],
      ),
    );
    while (receiver.taken.length < count) await sleep(200);
    await receiver.stop();
  };
}

async function prepareReconciliation(scene: Scene, count: number): Promise<() => Promise<void>> {
  const { http } = scene;
  const { code, token } = await ownSupplier(scene, { industry_switch: false });
  const lines = nextLines(count).map((line) => line.replace('"BENCH"', `"${code}"`));
  await runJob({ http, token }, 'CREATE', lines, undefined, { supplier: code });
  return async () => {
    const path = `${DATA_IMPORT}/reconciliations/`;
    const { body } = await accepted({ http, token }, path, { import_supplier: code });
    for (;;) {
      const { body: view } = await send(http, 'GET', `${path}${body.reconciliation_id}/`, { token });
      if (view.status !== 'RUNNING' && view.counts.different === 0 && view.counts.accounts === count) return;
      if (view.status !== 'RUNNING') throw new Error(JSON.stringify(view.counts));
      await sleep(200);
    }
  };
}

/** The later work of autovacuum and its statistics. */
async function prepareVacuum({ stack, http, token }: Scene, count: number): Promise<() => Promise<unknown>> {
  const vacuum = () => withClient(stack.database, (client) => client.query('vacuum (analyze)'));
  await vacuum();
  await runJob({ http, token }, 'CREATE', nextLines(count));
  return vacuum;
}
