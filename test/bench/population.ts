import { Client, Connection } from '@temporalio/client';
import pMap from 'p-map';
import pg from 'pg';
import { request } from 'undici';
import { median, residentMb } from './measure.ts';

export interface PopulationBench {
  http: string;
  temporal: string;
  /** Connects as the owner of the database. */
  database: string;
  token: string;
  /** Address of the network operator that both contenders call. */
  operator: string;
  /** The process that runs the worker. */
  workerPid: number;
  print: (line: string) => void;
}

const POPULATE = '/v1/data-import/supply-point/populate/';
/** The concurrency of the service: four pages, sixteen calls each. */
const CALLS_AT_ONCE = 64;
const BATCH_MAX = 100_000;
const FIRST = 30_000_000_000_000;
let next = 0;

/** Reserves identifiers that no lookup has used. */
function fresh(count: number): string[] {
  const from = FIRST + next;
  next += count;
  return Array.from({ length: count }, (_, index) => String(from + index));
}

/** Sets a speed that does not limit the lookups. */
export async function openThrottle(database: string): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  await client.query('update throttle set requests_per_second = 100000, requests_per_hour = 360000000');
  await client.end();
}

/** One round of the service: identifiers a second, from the request to the last completed lookup. */
export async function lookupByService(
  bench: Pick<PopulationBench, 'http' | 'token' | 'workerPid' | 'print'>,
  count: number,
): Promise<number> {
  const headers = { authorization: `Token ${bench.token}`, 'content-type': 'application/json' };
  const started = performance.now();
  const batches: string[] = [];
  let accepted = 0;
  for (let left = count; left > 0; left -= BATCH_MAX) {
    const asked = performance.now();
    const answer = await request(bench.http + POPULATE, {
      method: 'POST',
      headers,
      body: JSON.stringify({ prm_ids: fresh(Math.min(left, BATCH_MAX)) }),
      headersTimeout: 60_000,
    });
    accepted = Math.max(accepted, performance.now() - asked);
    if (answer.statusCode !== 201) {
      throw new Error(`populate answered ${answer.statusCode}: ${await answer.body.text()}`);
    }
    batches.push(((await answer.body.json()) as { batch_id: string }).batch_id);
  }
  const statusMs: number[] = [];
  const residents: number[] = [];
  for (const batch of batches) {
    for (;;) {
      const asked = performance.now();
      const answer = await request(`${bench.http}${POPULATE}${batch}/`, { headers });
      const { status, counts } = (await answer.body.json()) as {
        status: string;
        counts: { imported: { prm_ids: number } };
      };
      statusMs.push(performance.now() - asked);
      residents.push(residentMb(bench.workerPid));
      if (status === 'COMPLETED') {
        if (counts.imported.prm_ids !== Math.min(count, BATCH_MAX)) {
          throw new Error(`a batch ended with ${JSON.stringify(counts)}`);
        }
        break;
      }
      await new Promise((resolve) => {
        setTimeout(resolve, 200);
      });
    }
  }
  const seconds = (performance.now() - started) / 1_000;
  bench.print(
    `  ${count} identifiers: ${seconds.toFixed(1)} s; a batch accepted in ${(accepted / 1_000).toFixed(2)} s at most; status call p50 ${median(statusMs).toFixed(1)} ms; ` +
      `memory of the process with the worker ${residents[0]} MB before, ${Math.max(...residents)} at most, ${residents.at(-1)} after`,
  );
  return count / seconds;
}

/** One round of a bare loop with the same call and one row written for each. */
export async function lookupBare({ database, operator }: PopulationBench, count: number): Promise<number> {
  const pool = new pg.Pool({ connectionString: database, max: 6 });
  await pool.query(
    'create table if not exists bench_point (identifier text primary key, facts jsonb not null, looked_up_at timestamptz not null default now())',
  );
  const token = (
    await request(`${operator}/oauth2/v3/token`, {
      method: 'POST',
      body: 'grant_type=client_credentials&client_id=bench&client_secret=bench',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  ).body;
  const { access_token: access } = (await token.json()) as { access_token: string };
  const started = performance.now();
  const lookup = async (identifier: string): Promise<void> => {
    const address = `${operator}/customers_upc/v5/usage_points/contracts?usage_point_id=${identifier}`;
    const answer = await request(address, {
      headers: { authorization: `Bearer ${access}`, accept: 'application/json' },
    });
    const facts = await answer.body.json();
    if (answer.statusCode !== 200) throw new Error(`the network operator answered ${answer.statusCode}`);
    await pool.query({
      name: 'point',
      text: 'insert into bench_point (identifier, facts) values ($1, $2) on conflict (identifier) do update set facts = excluded.facts, looked_up_at = now()',
      values: [identifier, JSON.stringify(facts)],
    });
  };
  await pMap(fresh(count), lookup, { concurrency: CALLS_AT_ONCE });
  const rate = count / ((performance.now() - started) / 1_000);
  await pool.end();
  return rate;
}

/** Events of the longest lookup run so far. */
export async function longestHistory({ temporal }: PopulationBench): Promise<number> {
  const connection = await Connection.connect({ address: temporal });
  let longest = 0;
  for await (const run of new Client({ connection }).workflow.list({ query: `WorkflowType = 'lookUpSupplyPoints'` })) {
    longest = Math.max(longest, run.historyLength);
  }
  await connection.close();
  return longest;
}
