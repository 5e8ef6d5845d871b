import { randomUUID } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { send } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { createAccounts, stageAccounts } from './load.ts';
import { startStack, withoutThread } from './stack.ts';

// Numbers returned by all tests of this file: none may be returned again.
const accountNumbers: string[] = [];
const businessIds: number[] = [];

let staged = 1;
const stack = await startStack(withoutThread);
const files = (await stack.query<{ data_directory: string }>('show data_directory'))[0]!.data_directory;
afterAll(async () => {
  await stack.stop();
  execFileSync('rm', ['-rf', `${files}.backup`]);
});

const temporalFiles = (end: string) =>
  ['', '-wal', '-shm'].map((part) => join(stack.folder, `temporal${end}.db${part}`));

async function createSome(count = 10): Promise<void> {
  await stack.ready();
  const numbers = await stageAccounts(stack, count, staged);
  staged += count;
  const { completed } = await createAccounts(stack, numbers, { clients: 4, pauseMs: 100 });
  expect(completed).toHaveLength(count);
  accountNumbers.push(...completed.map(({ serviceAccountNumber }) => serviceAccountNumber));
  for (let index = 0; index < 3; index += 1) businessIds.push(await createBusiness(randomUUID()));
}

async function createBusiness(external: string): Promise<number> {
  for (;;) {
    const body = {
      import_supplier_code: 'SUPPLIER_FR',
      external_business_identifier: external,
      business: { company_name: 'Boulangerie', business_contracts: [] },
    };
    const answer = await send(stack.url, 'POST', '/v1/data-import/business/', { token: stack.token, body });
    if (answer.status === 201) return answer.body.service_business_id;
    expect(answer.status).toBe(503);
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
}

/** The files of the database: a backup and its restore. */
async function whileStopped(work: () => void): Promise<void> {
  await stack.process('postgres').stop();
  work();
  await stack.start('postgres');
}
// With the owner of the files, who may differ from the user of the tests.
const copy = (from: string, to: string) => {
  execFileSync('rm', ['-rf', to]);
  execFileSync('cp', ['-a', from, to]);
};
const takeBackup = () => whileStopped(() => copy(files, `${files}.backup`));
const restore = () => whileStopped(() => copy(`${files}.backup`, files));

/** A snapshot of the machine, or a restore of a server that holds both databases. */
async function whileBothStopped(work: () => void): Promise<void> {
  await stack.terminate('temporal');
  await whileStopped(work);
  await stack.start('temporal');
}

function copyTemporal(from: string, to: string): void {
  const targets = temporalFiles(to);
  for (const [index, source] of temporalFiles(from).entries()) {
    execFileSync('rm', ['-f', targets[index]!]);
    if (existsSync(source)) execFileSync('cp', ['-a', source, targets[index]!]);
  }
}

async function loseMarks(): Promise<void> {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  await connection.workflowService.deleteWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: 'number-marks' },
  });
  const handle = new Client({ connection }).workflow.getHandle('number-marks');
  await until(async () =>
    handle.describe().then(
      () => false,
      () => true,
    ),
  );
  await connection.close();
}

const allDiffer = () => {
  expect(new Set(accountNumbers).size).toBe(accountNumbers.length);
  expect(new Set(businessIds).size).toBe(businessIds.length);
};

test('gives consecutive numbers in normal operation, and uses none for a resend', async () => {
  await createSome();
  const first = await createBusiness('again');
  expect(await createBusiness('again')).toBe(first);
  const next = await createBusiness('next');
  expect(next).toBe(first + 1);
  businessIds.push(first, next);
});

test('gives no returned number again after the database is restored, with Temporal kept', async () => {
  await takeBackup();
  await createSome();
  await restore();
  await createSome(20);
  allDiffer();
  // Once more from the same backup: the mark has moved on.
  await restore();
  await createSome(20);
  allDiffer();
}, 240_000);

test('gives no number twice after Postgres and Temporal are restored together, with a crash between copy and restore', async () => {
  await whileBothStopped(() => {
    copy(files, `${files}.backup`);
    copyTemporal('', '.backup');
  });
  await createSome();
  await stack.kill('postgres');
  await stack.start('postgres');
  await createSome(20);
  // Twice from the same copy.
  for (let restored = 0; restored < 2; restored += 1) {
    await whileBothStopped(() => {
      copy(`${files}.backup`, files);
      copyTemporal('.backup', '');
    });
    await createSome(20);
    allDiffer();
  }
}, 240_000);

test('notices a dump that is restored into the running server', async () => {
  const [before] = await stack.query<{ account_from: string; holds: boolean }>(
    'select account_from, incarnation = database_incarnation() as holds from number_mark',
  );
  expect(before!.holds).toBe(true);
  // The effect of restoring a dump on the table: the same row in a new file.
  await stack.query(
    'create table copied as select * from number_mark; truncate number_mark; insert into number_mark select * from copied; drop table copied',
  );
  await until(
    async () =>
      (
        await stack.query<{ leapt: boolean }>('select account_from > $1 as leapt from number_mark', [
          before!.account_from,
        ])
      )[0]!.leapt,
  );
  await createSome();
  allDiffer();
});

test('continues the numbers when Temporal lost the mark and the database is kept', async () => {
  await loseMarks();
  await createSome();
  // The server restarts, so that the mark is read.
  await whileStopped(() => {});
  await createSome();
  allDiffer();
});

test('leaps beyond all possible numbers when the mark is lost and the database restored', async () => {
  await takeBackup();
  await createSome();
  await loseMarks();
  await restore();
  await createSome();
  allDiffer();
}, 240_000);

test('creates nothing while no numbers can be reserved, reports it in readiness, and resumes automatically', async () => {
  await stack.kill('temporal');
  await whileStopped(() => {});
  let ready = await send(stack.url, 'GET', '/healthz/ready');
  await until(async () => {
    ready = await send(stack.url, 'GET', '/healthz/ready');
    // Each process notices at its next check; the database itself rejects immediately.
    const { database, temporal, numbers } = ready.body;
    return database === 'ok' && temporal === 'away' && numbers === 'held_back';
  });
  expect(ready.status).toBe(503);
  const body = {
    import_supplier_code: 'SUPPLIER_FR',
    external_business_identifier: 'held-back',
    business: { company_name: 'Boulangerie', business_contracts: [] },
  };
  expect((await send(stack.url, 'POST', '/v1/data-import/business/', { token: stack.token, body })).status).toBe(503);
  await stack.start('temporal');
  await stack.ready();
  await createSome();
  allDiffer();
}, 240_000);
