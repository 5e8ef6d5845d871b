import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../support/harness.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { describeSurroundings } from './machine.ts';
import { below } from './measure.ts';
import type { Member } from './member.ts';
import { benchAccount, seed, withClient } from './stage-set.ts';

/*
 * `npm run bench -- faults`: clients stage and create accounts through the entrance of the cluster of `cluster.ts`,
 * while each of its processes in turn is killed, suspended for 20 seconds, and ended and restarted. Then all programs
 * of the service are restarted one after the other under load. At the end each account must exist once, under the
 * number that its client was given, equal to what was sent (by a reconciliation), with one event.
 * BENCH_ACCOUNTS (50000), BENCH_FAULTS (36): the load lasts until both are reached.
 */
const ACCOUNTS = Number(process.env['BENCH_ACCOUNTS'] ?? 50_000);
const FAULTS = Number(process.env['BENCH_FAULTS'] ?? 36);
const CLIENTS = 24;
const SUSPENDED_MS = 20_000;
const BETWEEN_FAULTS_MS = 3_000;
const RESEND_AFTER_MS = 200;
const REQUEST_TIMEOUT_MS = 60_000;
const PATH = '/v1/data-import/account-import-process';

interface Load {
  /** Returned service account numbers by external number. */
  numbers: Map<string, string>;
  /** Number of responses by status, 0 for a broken connection, since the last `takeAnswers`. */
  answers: Map<number, number>;
  isOver: boolean;
}

/** @returns whether nothing was lost, duplicated or changed, and the rolling restart failed no request */
export async function benchFaults(print: (line?: string) => void): Promise<boolean> {
  print('Starting the cluster ...');
  const cluster = await startCluster();
  try {
    const token = await seed(cluster.database);
    print(describe(await describeSurroundings(cluster.database)));
    const load: Load = { numbers: new Map(), answers: new Map(), isOver: false };
    const next = counter();
    const faults = inject(cluster.members, load, print);
    await Promise.all([
      run(cluster, token, load, () => (next.last() < ACCOUNTS || !faults.isOver() ? next.take() : undefined)),
      faults.ended,
    ]);
    print(`${load.numbers.size} accounts created beside ${faults.count()} faults`);
    const isRollingQuiet = await restartPrograms(cluster, token, load, next.take, print);
    return (await isConsistent(cluster, token, load, print)) && isRollingQuiet;
  } finally {
    await cluster.stop();
  }
}

function counter() {
  let last = 0;
  return { take: () => (last += 1), last: () => last };
}

function describe({ machine, versions, commit }: { machine: string; versions: string; commit: string }): string {
  return `${machine}\n${versions}\ncommit ${commit}\n`;
}

/** All clients, until there is no further number. Each repeats a request until it has a final response. */
async function run({ entrance }: Cluster, token: string, load: Load, take: () => number | undefined): Promise<void> {
  const final = async (path: string, body: object): Promise<Record<string, unknown>> => {
    for (;;) {
      const { status, body: answer } = await post(`${entrance}${PATH}/${path}/`, token, body);
      load.answers.set(status, (load.answers.get(status) ?? 0) + 1);
      const isKnown = answer?.['code'] === 'account_import_process_already_imported';
      if (answer !== undefined && (status === 200 || status === 201 || isKnown)) return answer;
      if (status >= 400 && status < 500 && status !== 429) {
        throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`);
      }
      await sleep(RESEND_AFTER_MS);
    }
  };
  const client = async () => {
    for (let number = take(); number !== undefined; number = take()) {
      const external = `FAULT-${String(number).padStart(8, '0')}`;
      await final('create-or-update', accountOf(external, number));
      const { service_account_number: created } = await final('process', {
        import_supplier_code: 'BENCH',
        external_account_number: external,
        operations_team_name: 'Migration',
      });
      load.numbers.set(external, String(created));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** A copy of the bench account with points of its own. */
function accountOf(external: string, number: number): object {
  const digits = String(number).padStart(13, '0');
  const text = JSON.stringify(benchAccount())
    .replaceAll('EXT-00000000', external)
    .replaceAll('20000000000001', `2${digits}`)
    .replaceAll('30000000000001', `3${digits}`);
  return JSON.parse(text) as object;
}

async function post(url: string, token: string, body: object) {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Token ${token}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    // A proxy without a server answers with a page.
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json');
    return { status: answer.status, body: isJson ? (JSON.parse(text) as Record<string, unknown>) : undefined };
  } catch {
    return { status: 0, body: undefined };
  }
}

const kinds: Record<string, (member: Member) => Promise<void>> = {
  'killed and restarted': (member) => member.restart('SIGKILL'),
  'suspended for 20 s': async (member) => {
    // Postgres and nginx work in child processes.
    const pids = [member.pid(), ...below(member.pid())];
    for (const pid of pids) signal(pid, 'SIGSTOP');
    await sleep(SUSPENDED_MS);
    for (const pid of pids) signal(pid, 'SIGCONT');
  },
  // Postgres would wait for its clients to disconnect after SIGTERM.
  'ended and restarted': (member) => member.restart(member.name === 'postgres' ? 'SIGINT' : 'SIGTERM'),
};

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // A child process that has ended.
  }
}

/** Applies each kind of fault to each member in turn. */
function inject(members: readonly Member[], load: Load, print: (line: string) => void) {
  let count = 0;
  let isOver = false;
  const all = Object.entries(kinds).flatMap(([kind, apply]) => members.map((member) => ({ kind, apply, member })));
  const ended = (async () => {
    try {
      for (; count < FAULTS; count += 1) {
        const { kind, apply, member } = all[count % all.length]!;
        const before = load.numbers.size;
        const started = performance.now();
        await sleep(BETWEEN_FAULTS_MS);
        await apply(member);
        const seconds = (performance.now() - started) / 1_000;
        print(
          `  ${member.name.padEnd(18)} ${kind.padEnd(22)} ${seconds.toFixed(0).padStart(3)} s, ${load.numbers.size - before} accounts meanwhile, ${takeAnswers(load)}`,
        );
      }
    } finally {
      isOver = true;
    }
  })();
  return { ended, count: () => count, isOver: () => isOver };
}

/** Responses by status since the last call. */
function takeAnswers({ answers }: Load): string {
  const text = [...answers].toSorted(([one], [other]) => one - other).map(([status, count]) => `${count} x ${status}`);
  answers.clear();
  return text.join(', ') || 'no responses';
}

/** Restarts all programs of the service one after the other under load. @returns whether each request succeeded at once */
async function restartPrograms(
  cluster: Cluster,
  token: string,
  load: Load,
  take: () => number,
  print: (line: string) => void,
): Promise<boolean> {
  takeAnswers(load);
  let isOver = false;
  const running = run(cluster, token, load, () => (isOver ? undefined : take()));
  const ours = cluster.members.filter(({ name }) => /^(api|worker|support-site) /.test(name));
  for (const member of ours) await kinds['ended and restarted']!(member);
  isOver = true;
  await running;
  const isQuiet = [...load.answers.keys()].every((status) => status === 200 || status === 201);
  print(`rolling restart of ${ours.map(({ name }) => name).join(', ')}: ${takeAnswers(load)}`);
  return isQuiet;
}

async function isConsistent(
  { database, entrance }: Cluster,
  token: string,
  { numbers }: Load,
  print: (line: string) => void,
): Promise<boolean> {
  const { stored, events } = await withClient(database, async (client) => {
    const accounts = await client.query<{ external: string; number: string }>(
      'select external_account_number as external, number::text from account',
    );
    const created = await client.query<{ subject: string; count: number }>(
      `select subject, count(*)::integer from (
         select subject from event where type = 'import.account.created.v1'
         union all select subject from event_outbox where type = 'import.account.created.v1') as e group by subject`,
    );
    return { stored: accounts.rows, events: created.rows };
  });
  const lost = numbers.size - new Set(stored.map(({ external }) => external)).size;
  const doubled = stored.length - new Set(stored.map(({ external }) => external)).size;
  const otherNumber = stored.filter(({ external, number }) => numbers.get(external) !== number).length;
  const wrongEvents = events.filter(({ count }) => count !== 1).length + Math.abs(events.length - stored.length);
  const { view, certificate } = await reconcile(entrance, token);
  print(
    `${stored.length} accounts stored: ${lost} lost, ${doubled} duplicated, ${otherNumber} with another number than the client was given, ${wrongEvents} with a missing or repeated event`,
  );
  print(
    `reconciliation ${String(view['status'])}: ${String(certificate['accounts'])} accounts, ${String(certificate['values_compared'])} values, ${String(certificate['different'])} different, is_equal ${String(certificate['is_equal'])}`,
  );
  const isComplete = certificate['accounts'] === numbers.size && certificate['is_equal'] === true;
  return lost + doubled + otherNumber + wrongEvents === 0 && isComplete;
}

/** A reconciliation of all accounts. */
async function reconcile(entrance: string, token: string) {
  const call = async (method: string, path: string, body?: object) => {
    const { status, body: answer } = await send(`${entrance}/v1/data-import/reconciliations/`, method, path, {
      token,
      body,
    });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
    return answer as Record<string, unknown>;
  };
  const { reconciliation_id: id } = await call('POST', '', { import_supplier: 'BENCH' });
  let view = await call('GET', `${String(id)}/`);
  for (; view['status'] === 'RUNNING'; view = await call('GET', `${String(id)}/`)) await sleep(500);
  const { certificate } = await call('GET', `${String(id)}/certificate/`);
  return { view, certificate: certificate as Record<string, unknown> };
}
