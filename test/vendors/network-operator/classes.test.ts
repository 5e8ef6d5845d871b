import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from '@jest/globals';
import { fixedSecret, type CurrentSecret } from '../../../src/platform/secrets/secrets.ts';
import { createAdict } from '../../../src/vendors/network-operator/adict.client.ts';
import { startAdictSimulator } from '../../../src/vendors/network-operator/adict.simulator.ts';
import { createDataConnect } from '../../../src/vendors/network-operator/data-connect.client.ts';
import { startDataConnectSimulator } from '../../../src/vendors/network-operator/data-connect.simulator.ts';
import type { NetworkOperator } from '../../../src/vendors/network-operator/network-operator.port.ts';
import type { NetworkOperatorSimulator } from '../../../src/vendors/network-operator/network-operator-server.simulator.ts';
import { createSge } from '../../../src/vendors/network-operator/sge.client.ts';
import { startSgeSimulator } from '../../../src/vendors/network-operator/sge.simulator.ts';
import type { VendorLimits } from '../../../src/platform/vendor-http/vendor-http.ts';

// Every known response of a network operator with its class, on the wire.

const limits: VendorLimits = { timeoutMs: 400, callsMax: 8, waitingMax: 20, failuresInARow: 50, openMs: 100 };
const simulators: {
  sge: NetworkOperatorSimulator;
  dataConnect: NetworkOperatorSimulator;
  adict: NetworkOperatorSimulator;
} = {
  sge: await startSgeSimulator({ recordCalls: true }),
  dataConnect: await startDataConnectSimulator({ recordCalls: true }),
  adict: await startAdictSimulator({ recordCalls: true }),
};
afterAll(async () => {
  for (const simulator of Object.values(simulators)) await simulator.stop();
});

const clients: Record<string, (secret?: CurrentSecret) => NetworkOperator> = {
  sge: () => createSge({ baseUrl: simulators.sge.url, login: 'a&b@supplier.example', limits }),
  dataConnect: (clientSecret = fixedSecret('secret')) =>
    createDataConnect({ baseUrl: simulators.dataConnect.url, clientId: 'id', clientSecret, limits }),
  adict: (clientSecret = fixedSecret('secret')) =>
    createAdict({
      baseUrl: simulators.adict.url,
      tokenUrl: `${simulators.adict.url}/oauth2/token`,
      clientId: 'id',
      clientSecret,
      limits,
    }),
};

async function withClient<T>(
  name: string,
  work: (client: NetworkOperator) => Promise<T>,
  secret?: CurrentSecret,
): Promise<T> {
  const client = clients[name]!(secret);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const errorOf = (client: NetworkOperator, identifier: string) =>
  client.lookup(identifier).then(
    () => undefined,
    (error: Error & { reason?: string }) => error,
  );
/** A magic identifier of a kind; each use is another point. */
let serial = 0;
const magic = (kind: string, calls = '99') => `99${kind}${calls}${String((serial += 1)).padStart(8, '0')}`;

test.each([
  ['sge', { contract_status: 'SERVC', segment: 'C5', subscribed_power: '9 kVA', distribution_tariff: 'BTINFCU4' }],
  ['dataConnect', { contract_status: 'SERVC', segment: 'C5', subscribed_power: '9 kVA', point_status: 'com' }],
  ['adict', { distribution_tariff: 'T2', profile: 'P012', annual_consumption_kwh: 9_426 }],
])('%s: returns the facts of a known point, without its address', async (name, facts) => {
  const found = await withClient(name, (client) => client.lookup('25014987360042', { customerAuthorisation: true }));
  expect(found).toMatchObject(facts);
  expect(JSON.stringify(found)).not.toMatch(/NANTES|BRUMES|44000/);
});

test("sge: returns no contract facts without the customer's authorisation, and rejects some points", async () => {
  const without = await withClient('sge', (client) => client.lookup('25014987360042'));
  expect(without).toMatchObject({ segment: 'C5' });
  expect(Object.keys(without)).not.toEqual(expect.arrayContaining(['subscribed_power']));
  expect(
    await withClient('sge', (client) => client.lookup(magic('05'), { customerAuthorisation: true })),
  ).toMatchObject({ subscribed_power: expect.any(String) });
});

const CLASSES: [client: string, kind: string, error: string, reason?: string][] = [
  ['sge', '99', 'VendorRejected', 'EPRM000'],
  ['sge', '01', 'VendorRejected', 'EPRM-SGT4G3'],
  ['sge', '02', 'VendorRejected', 'EPRM-SGT4L8'],
  ['sge', '03', 'VendorRejected', 'EPRM-SGT4Q1'],
  ['sge', '04', 'VendorRejected', 'EPRM-SGT4K2'],
  ['sge', '05', 'VendorRejected', 'EPRM-SGT4A5'],
  ['sge', '12', 'SupplyPointError'],
  ['sge', '30', 'VendorUnavailable'],
  ['sge', '32', 'VendorUnavailable'],
  ['sge', '40', 'VendorMisconfigured'],
  ['dataConnect', '99', 'VendorRejected', 'EPRM000'],
  ['dataConnect', '05', 'VendorRejected', 'EPRM000'],
  ['dataConnect', '06', 'VendorRejected', 'EPRM000'],
  ['dataConnect', '07', 'VendorRejected', 'EPRM000'],
  ['dataConnect', '01', 'VendorRejected', 'EPRM-ADAM-DC-0008'],
  ['dataConnect', '02', 'VendorRejected', 'EPRM-ADAM-DC-0007'],
  ['dataConnect', '03', 'VendorRejected', 'EPRM-ADAM-ERR0069'],
  ['dataConnect', '04', 'VendorRejected', 'EPRM-ADAM-ERR0001'],
  ['dataConnect', '10', 'VendorBusy'],
  ['dataConnect', '12', 'SupplyPointError'],
  ['dataConnect', '13', 'SupplyPointError'],
  ['dataConnect', '30', 'VendorUnavailable'],
  ['dataConnect', '40', 'VendorMisconfigured'],
  ['adict', '99', 'VendorRejected', 'EPCE-1000005'],
  ['adict', '01', 'VendorRejected', 'EPCE-1000008'],
  ['adict', '02', 'VendorRejected', 'EPCE-1000009'],
  ['adict', '03', 'VendorRejected', 'EPCE-1000010'],
  ['adict', '04', 'VendorRejected', 'EPCE-1000001'],
  ['adict', '05', 'VendorRejected', 'EPCE-1000011'],
  ['adict', '06', 'VendorRejected', 'EPCE-1000012'],
  ['adict', '07', 'VendorRejected', 'EPCE-1000013'],
  ['adict', '50', 'VendorRejected', 'EPCE007'],
  ['adict', '11', 'SupplyPointError'],
  ['adict', '12', 'SupplyPointError'],
  ['adict', '30', 'VendorUnavailable'],
  ['adict', '34', 'SupplyPointError'],
  ['adict', '40', 'VendorMisconfigured'],
  ['adict', '41', 'VendorMisconfigured'],
  ...['sge', 'dataConnect', 'adict'].flatMap((client): [string, string, string][] => [
    [client, '20', 'VendorUnavailable'],
    [client, '21', 'VendorUnavailable'],
    [client, '22', 'VendorUnavailable'],
    [client, '23', 'VendorUnavailable'],
  ]),
];

// Four arguments in every row: Jest would pass a callback instead of a missing one.
test.each(CLASSES.map(([client, kind, name, reason]) => [client, kind, name, reason ?? ''] as const))(
  '%s: kind %s is %s %s',
  async (party, kind, name, reason) => {
    const error = await withClient(party, (client) => errorOf(client, magic(kind)));
    expect(error).toMatchObject({ name, ...(reason === '' ? {} : { reason }) });
    // Neither the network operator's text nor an identifier.
    expect(error?.message).not.toMatch(/Utilisateur inconnu|Demande|droit d'acces|\d{14}/);
  },
);

test('STM-ERR-0000001 ends with its reason after five attempts', async () => {
  expect(await withClient('dataConnect', (client) => errorOf(client, magic('13')))).toMatchObject({
    reasonInTheEnd: 'EPRM-STM-ERR-0000001',
  });
});

test('waits for the time that an exceeded Data Connect quota names', async () => {
  const error = await withClient('dataConnect', (client) => errorOf(client, magic('10')));
  expect(error).toMatchObject({ name: 'VendorBusy' });
  expect((error as { retryAfterSeconds?: number } | undefined)?.retryAfterSeconds).toBeLessThanOrEqual(2);
});

test('SGE: rejects a response with a document type, so that no entity is expanded', async () => {
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const answer = await fetch(simulators.sge.url, { method: 'POST', headers: { 'content-type': 'text/xml' }, body });
      const entities = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c SYSTEM "file:///etc/passwd">]>';
      response.setHeader('content-type', 'text/xml');
      response.end((await answer.text()).replace('?>', `?>${entities}`));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = createSge({ baseUrl: `http://127.0.0.1:${port}`, login: 'a@supplier.example', limits });
  expect((await errorOf(client, '25014987360042'))?.name).toBe('VendorUnavailable');
  await client.close();
  server.close();
});

test('ADICT: accepts other objects between the lines and an empty statut_restitution', async () => {
  expect(await withClient('adict', (client) => client.lookup(magic('33')))).toMatchObject({
    distribution_tariff: 'T2',
  });
});

test.each(['sge', 'dataConnect', 'adict'])(
  '%s: reports three malformed responses in a row as more than a transient failure',
  async (name) => {
    const errors = await withClient(name, async (client) => [
      await errorOf(client, magic('31')),
      await errorOf(client, magic('31')),
      await errorOf(client, magic('31')),
    ]);
    expect(errors.map((error) => error?.name)).toEqual([
      'VendorUnavailable',
      'VendorUnavailable',
      'VendorMisconfigured',
    ]);
  },
);

test.each(['dataConnect', 'adict'])(
  '%s: obtains a token once, renews it once after a 401, and raises an alarm for a wrong secret',
  async (name) => {
    const simulator = simulators[name as 'adict'];
    const before = simulator.tokens;
    await withClient(name, async (client) => {
      await Promise.all([client.lookup('25014987360042'), client.lookup('25014987360043')]);
      expect(simulator.tokens - before).toBe(1);
      expect(await client.lookup(magic('42'))).toBeDefined();
      expect(simulator.tokens - before).toBe(2);
    });
    expect(await withClient(name, (client) => errorOf(client, '25014987360042'), fixedSecret('wrong'))).toMatchObject({
      name: 'VendorMisconfigured',
    });
    // A secret that is right when it is read again is used.
    let secret = 'wrong';
    const changing = {
      value: () => secret,
      readAgain: async () => {
        secret = 'right';
      },
    };
    expect(await withClient(name, (client) => client.lookup('25014987360042'), changing)).toBeDefined();
  },
);
