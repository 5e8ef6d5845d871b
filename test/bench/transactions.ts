import pMap from 'p-map';
import { Pool } from 'pg';
import { openDatabase } from '../../src/platform/database/database.ts';
import { kyselyOf, run, type PreparedQuery } from '../../src/platform/database/prepared-query.ts';
import { createLog } from '../../src/platform/log.ts';
import { entities } from '../../src/processes/entities.ts';
import { ImportSupplier } from '../../src/suppliers/import-supplier.entity.ts';
import type { ImportSupplierTable } from '../../src/suppliers/index.ts';
import { median } from './measure.ts';

const COUNT = 1_000;
const CONCURRENT = 10;
const ROUNDS = 5;
const SUPPLIER = 'BENCH';
const BY_CODE: PreparedQuery = {
  name: 'bench-by-code',
  text: 'select code, name from import_supplier where code = $1',
};

/**
 * What one transaction costs that reads a row by its key: with the bare driver, and with each of the ways in which stores ask
 * (docs/decisions/0044-one-transaction-two-ways-to-ask.md). Processor time is of this process alone, so it depends little on what else the machine does.
 * @param url address of a migrated database
 */
export async function benchTransactions(url: string, print: (line?: string) => void): Promise<void> {
  const database = await openDatabase({
    url,
    entities,
    poolSize: CONCURRENT,
    log: createLog({ level: 'silent', process: 'bench' }),
    applicationName: 'bench',
  });
  const pool = new Pool({ connectionString: url, max: CONCURRENT });
  const ways: [string, () => Promise<unknown>][] = [
    ['bare driver: begin, prepared statement, commit', () => bare(pool)],
    ['transaction, prepared statement', () => database.transaction((em) => run(em, BY_CODE, [SUPPLIER]))],
    [
      'transaction, Kysely',
      () =>
        database.transaction((em) =>
          kyselyOf<ImportSupplierTable>(em)
            .selectFrom('import_supplier')
            .select(['code', 'name'])
            .where('code', '=', SUPPLIER)
            .execute(),
        ),
    ],
    ['transaction, entity', () => database.transaction((em) => em.findOneOrFail(ImportSupplier, { code: SUPPLIER }))],
  ];
  const figures = ways.map(() => ({ cpuUs: [] as number[], tookUs: [] as number[] }));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, [, work]] of ways.entries()) {
      const [from, cpu] = [performance.now(), process.cpuUsage()];
      await pMap(Array.from({ length: COUNT }), work, { concurrency: CONCURRENT });
      const { user, system } = process.cpuUsage(cpu);
      // The first round compiles.
      if (round === 0) continue;
      figures[index]!.cpuUs.push((user + system) / COUNT);
      figures[index]!.tookUs.push(((performance.now() - from) * 1_000) / COUNT);
    }
  }
  print(
    `\na transaction that reads one row by its key, ${CONCURRENT} concurrently (median of ${ROUNDS} rounds of ${COUNT})`,
  );
  for (const [index, [name]] of ways.entries()) {
    const [cpu, took] = [median(figures[index]!.cpuUs), median(figures[index]!.tookUs)];
    const floor = median(figures[0]!.cpuUs);
    print(
      `  ${name.padEnd(48)} ${Math.round(1_000_000 / took)}/s   ${Math.round(cpu)} us of processor, ${(cpu / floor).toFixed(1)} times the bare driver`,
    );
  }
  await pool.end();
  await database.close();
}

async function bare(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query({ ...BY_CODE, values: [SUPPLIER] });
    await client.query('commit');
  } finally {
    client.release();
  }
}
