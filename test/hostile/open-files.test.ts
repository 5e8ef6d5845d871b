import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { startApi, type ApiProcess } from '../support/api-process.ts';
import { startFlood } from '../support/connection-flood.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { openRaw, rawRequest, type RawAnswer, type RawConnection } from '../support/raw-http.ts';

// Sends requests to a process without a free file descriptor, which cannot open a database connection.

/** A few more than an idle process has open, so that the limits of connections do not keep enough free. */
const OPEN_FILES_MAX = 52;
const FLOOD = 60;
const TIME_LIMIT_MS = 120_000;
const V1 = '/v1/data-import';

let api: ApiProcess;
let connections: RawConnection[] = [];
const service = await startService();
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
beforeEach(async () => {
  // Behind a proxy connections of one address are not limited.
  api = await startApi(service, { HTTP_PROXIES: '1' }, { openFilesMax: OPEN_FILES_MAX });
}, TIME_LIMIT_MS);
afterEach(async () => {
  for (const connection of connections) connection.socket.destroy();
  connections = [];
  await api.kill();
});

const account = (sequence: number) => JSON.stringify(domesticAccount({ import_supplier: 'SUPPLIER_FR' }, sequence));
const requests: [string, string, string][] = [
  ['GET', `${V1}/all-account-import-processes/SUPPLIER_FR/`, ''],
  ['GET', `${V1}/pending-account-import-processes/SUPPLIER_FR/`, ''],
  ['POST', `${V1}/validate-account/`, account(1)],
  ['POST', `${V1}/account-import-process/create-or-update/`, account(1)],
];

/** Sends requests of every kind concurrently, each on an open connection. */
function requestAll(): Promise<RawAnswer[]> {
  return Promise.all(
    requests.map(([method, path, body], at) => {
      connections[at]!.write(
        rawRequest(
          method,
          path,
          { authorization: `Token ${token}`, ...(body === '' ? {} : { 'content-type': 'application/json' }) },
          body,
        ),
      );
      return connections[at]!.answer();
    }),
  );
}

test(
  'answers 503 and never 500 while no file can be opened, and recovers afterwards',
  async () => {
    connections = await Promise.all(requests.map(() => openRaw(api.url)));
    const flood = await startFlood(api.url, { count: FLOOD, from: ['127.0.0.2'] });
    try {
      // The system accepts connections before the process does, and closes those that the process could not accept.
      await until(async () => (await flood.state()).ended > 0);
      const answers = [...(await requestAll()), ...(await requestAll())];
      expect(answers.filter(({ status }) => ![200, 201, 503].includes(status))).toEqual([]);
      const refused = answers.filter(({ status }) => status === 503);
      expect(refused.length).toBeGreaterThan(0);
      for (const { body, headers } of refused) {
        expect([JSON.parse(body).code, headers['retry-after']]).toEqual([
          'service_unavailable',
          expect.stringMatching(/^\d+$/),
        ]);
      }
      expect(api.log.some((line) => line.includes('EMFILE'))).toBe(true);
    } finally {
      await flood.stop();
    }
    await until(async () => (await requestAll()).every(({ status }) => status < 300), 500);
    expect((await requestAll()).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(api.hasEnded()).toBe(false);
  },
  TIME_LIMIT_MS,
);
