import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { createFromStaged, type CreationContext } from '../../../src/account-import/create/create-account.store.ts';
import type { CreationEntry, CreationOutcome } from '../../../src/account-import/create/create-account.rules.ts';
import { openDatabase } from '../../../src/platform/database/database.ts';
import { entities } from '../../../src/processes/entities.ts';
import { createLog } from '../../../src/platform/log.ts';

/**
 * Creates one staged account per request with the same SQL as the service, driven differently. VARIANT: `autocommits`
 * start, effect and end as three commits, the minimum of any engine with steps; `pg-boss`, `graphile-worker` the
 * effect as a job of that engine, whose end the request awaits.
 */
const variant = process.env['VARIANT'] ?? 'autocommits';
const url = process.env['DATABASE_URL'] as string;
const database = await openDatabase({
  url,
  entities,
  poolSize: 20,
  log: createLog({ level: 'silent', process: 'bench' }),
  applicationName: `bench-${variant}`,
});
const validatedWith = (await database.pool.query('select validated_with from import_process limit 1')).rows[0]
  .validated_with as string;
const context: CreationContext = { currentRules: () => validatedWith, revalidate: async () => [], switchLeadDays: 14 };

const effect = (entry: CreationEntry) =>
  database.transaction(async (em) => (await createFromStaged(em, [entry], context))[0] as CreationOutcome);

const engines: Record<string, () => Promise<(entry: CreationEntry) => Promise<CreationOutcome>>> = {
  autocommits: async () => {
    await database.pool.query(
      'create table if not exists bench_run (id uuid primary key, status text not null, input jsonb, output jsonb, at timestamptz not null default now())',
    );
    return async (entry) => {
      await database.run(
        { name: 'run-started', text: `insert into bench_run (id, status, input) values ($1, 'RUNNING', $2)` },
        [entry.creationId, JSON.stringify(entry)],
      );
      const outcome = await effect(entry);
      await database.run(
        { name: 'run-done', text: `update bench_run set status = 'DONE', output = $2 where id = $1` },
        [entry.creationId, JSON.stringify(outcome)],
      );
      return outcome;
    };
  },
  'pg-boss': async () => {
    const { PgBoss } = await import('pg-boss');
    const boss = new PgBoss({ connectionString: url, max: 20, useListenNotify: true, schedule: false });
    boss.on('error', () => {});
    await boss.start();
    await boss.createQueue('create', { notify: true, retryLimit: 3 }).catch(() => {});
    const waiting = new Map<string, (outcome: CreationOutcome) => void>();
    await boss.work('create', { batchSize: 32, localConcurrency: 2, pollingIntervalSeconds: 0.5 }, async (jobs) => {
      await Promise.all(
        jobs.map(async (job) => {
          const data = job.data as CreationEntry;
          const outcome = await effect(data);
          setImmediate(() => {
            waiting.get(data.creationId)?.(outcome);
            waiting.delete(data.creationId);
          });
        }),
      );
    });
    return (entry) =>
      new Promise((resolve, reject) => {
        waiting.set(entry.creationId, resolve);
        boss.send('create', entry).catch(reject);
      });
  },
  'graphile-worker': async () => {
    const { run, Logger } = await import('graphile-worker');
    const waiting = new Map<string, (outcome: CreationOutcome) => void>();
    const runner = await run({
      connectionString: url,
      maxPoolSize: 20,
      concurrency: 16,
      noHandleSignals: true,
      logger: new Logger(() => () => {}),
      taskList: {
        create: async (entry) => {
          const { creationId } = entry as CreationEntry;
          const outcome = await effect(entry as CreationEntry);
          setImmediate(() => {
            waiting.get(creationId)?.(outcome);
            waiting.delete(creationId);
          });
        },
      },
    });
    return (entry) =>
      new Promise((resolve, reject) => {
        waiting.set(entry.creationId, resolve);
        runner.addJob('create', entry).catch(reject);
      });
  },
};

const create = await (engines[variant] as () => Promise<(entry: CreationEntry) => Promise<CreationOutcome>>)();
createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
      external_account_number: string;
      import_supplier_code: string;
      operations_team_name: string;
    };
    const entry = {
      creationId: randomUUID(),
      importSupplier: body.import_supplier_code,
      externalAccountNumber: body.external_account_number,
      operationsTeam: body.operations_team_name,
    };
    create(entry).then(
      (outcome) => {
        const text = JSON.stringify(
          outcome.kind === 'created' ? { service_account_number: outcome.serviceAccountNumber } : outcome,
        );
        response
          .writeHead(outcome.kind === 'created' ? 201 : 400, {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          })
          .end(text);
      },
      () => {
        response.writeHead(500).end();
      },
    );
  });
}).listen(Number(process.env['HTTP_PORT']), '127.0.0.1', () => {
  process.send?.('ready');
});
