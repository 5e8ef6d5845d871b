import { expect, test } from '@jest/globals';
import type { Database } from '../../src/platform/database/database.ts';
import { createSupplierDirectory } from '../../src/suppliers/index.ts';

function database(answer: () => Promise<object[]>): Pick<Database, 'em'> & { asked: number } {
  const find = async () => ((stub.asked += 1), await answer());
  const stub = { asked: 0, em: () => ({ find }) as never };
  return stub;
}
const acme = { code: 'ACME', status: 'Ongoing', documentRoot: null, options: {}, optionsRevision: 1 };

test('reads all suppliers at most once a second, for any number of callers', async () => {
  let now = 0;
  const stub = database(async () => [acme]);
  const directory = createSupplierDirectory({ database: stub, now: () => now });
  expect(await Promise.all([directory.find('ACME'), directory.find('ACME'), directory.find('OTHER')])).toEqual([
    acme,
    acme,
    undefined,
  ]);
  now = 999;
  expect([...(await directory.all()).keys()]).toEqual(['ACME']);
  expect(stub.asked).toBe(1);
  now = 1_000;
  await directory.find('ACME');
  expect(stub.asked).toBe(2);
});

test('uses no copy older than a second while the database is down', async () => {
  let now = 0;
  let isAway = false;
  const directory = createSupplierDirectory({
    database: database(async () => (isAway ? Promise.reject(new Error('away')) : [acme])),
    now: () => now,
  });
  await directory.find('ACME');
  isAway = true;
  now = 999;
  expect(await directory.find('ACME')).toEqual(acme);
  now = 1_000;
  await expect(directory.find('ACME')).rejects.toThrow('away');
  isAway = false;
  expect(await directory.find('ACME')).toEqual(acme);
});

test('discards a pending read after forget()', async () => {
  const answers: ((rows: object[]) => void)[] = [];
  const stub = database(() => new Promise((resolve) => answers.push(resolve)));
  const directory = createSupplierDirectory({ database: stub, now: () => 0 });
  const before = directory.find('ACME');
  directory.forget();
  const after = directory.find('ACME');
  answers[1]!([acme]);
  answers[0]!([]);
  expect([await before, await after]).toEqual([undefined, acme]);
  expect(await directory.find('ACME')).toEqual(acme);
  expect(stub.asked).toBe(2);
});
