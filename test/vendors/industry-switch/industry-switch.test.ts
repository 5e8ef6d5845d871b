import { afterAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createIndustrySwitch } from '../../../src/vendors/industry-switch/open.ts';
import type { IndustrySwitch, SwitchRequest } from '../../../src/vendors/industry-switch/industry-switch.port.ts';
import {
  type MarketMessage,
  startIndustrySwitchSimulator,
} from '../../../src/vendors/industry-switch/industry-switch.simulator.ts';
import { fixedSecret } from '../../../src/platform/secrets/secrets.ts';
import { VendorBusy, VendorMisconfigured, VendorUnavailable } from '../../../src/vocabulary/vendor-errors.ts';
import { industrySwitchLimits } from '../../../temporal.config.ts';
import { until } from '../../support/until.ts';

const delivered: MarketMessage[] = [];
const open: IndustrySwitch[] = [];
const simulator = await startIndustrySwitchSimulator({
  pauseMs: 20,
  deliver: async (messages) => {
    delivered.push(...messages);
  },
});
afterAll(async () => {
  for (const client of open) await client.close();
  await simulator.stop();
});

function client(url = simulator.url): IndustrySwitch {
  const made = createIndustrySwitch({
    url,
    credential: fixedSecret('secret'),
    limits: { ...industrySwitchLimits, timeoutMs: 300 },
  });
  open.push(made);
  return made;
}

const requestFor = (supplyPoint: string): SwitchRequest => ({
  requestId: randomUUID(),
  importSupplier: 'ACME',
  externalAccountNumber: 'A1',
  supplyPoint,
  supplyType: 'ELECTRICITY',
  startDate: '2027-01-01',
});
const answersTo = async ({ requestId }: SwitchRequest, count: number) => {
  const of = () => delivered.filter(({ message_id: id }) => id.startsWith(requestId));
  await until(() => of().length >= count);
  return of().map(({ outcome }) => outcome);
};

test.each<[string, string, object, string[]]>([
  ['accepts and completes', '25000000000001', { answer: 'ACCEPTED', reason: null }, ['COMPLETED']],
  ['refuses', '99010000000001', { answer: 'REJECTED', reason: 'POINT_NOT_SWITCHABLE' }, []],
  ['accepts and rejects later', '99060000000001', { answer: 'ACCEPTED' }, ['REJECTED']],
  ['answers by messages out of order', '99070000000001', { answer: 'RECEIVED' }, ['COMPLETED', 'ACCEPTED']],
  ['sends messages twice', '99080000000001', { answer: 'ACCEPTED' }, ['COMPLETED', 'COMPLETED']],
  ['names an unknown point', '99090000000001', { answer: 'ACCEPTED' }, ['COMPLETED']],
  ['answers by messages', '99100000000001', { answer: 'RECEIVED' }, ['ACCEPTED', 'COMPLETED']],
  ['sends no further message', '99110000000001', { answer: 'ACCEPTED' }, []],
])('a network operator that %s', async (_what, point, answer, said) => {
  const request = requestFor(point);
  expect(await client().request(request)).toMatchObject({ ...answer, answeredAt: expect.any(Date) });
  expect(await answersTo(request, said.length)).toEqual(said);
  if (point.startsWith('9909')) expect(delivered.at(-1)!.supply_point_identifier).toBe('99999999999999');
});

test.each<[string, string, object]>([
  ['busy', '99020000000009', expect.any(VendorBusy)],
  ['down', '99030000000009', expect.any(VendorUnavailable)],
  ['slow', '99040000000009', expect.any(VendorUnavailable)],
  ['not understood', '99050000000009', expect.any(VendorUnavailable)],
  ['rejecting our credentials', '99130000000009', expect.any(VendorMisconfigured)],
])('a network operator that is %s is an error that quotes nothing of its response', async (_what, point, expected) => {
  const error = await client()
    .request(requestFor(point))
    .catch((thrown: unknown) => thrown as Error);
  expect(error).toEqual(expected);
  expect((error as Error).message).not.toMatch(/taken|secret|9904|9905/);
});

test('answers a repeated request whose response was too late alike, and counts it once', async () => {
  const request = requestFor('99040000000001');
  await expect(client().request(request)).rejects.toThrow(VendorUnavailable);
  const answer = await client().request(request);
  expect(answer.answer).toBe('ACCEPTED');
  expect(await client().request(request)).toEqual(answer);
  expect(await answersTo(request, 1)).toEqual(['COMPLETED']);
  expect(simulator.requests.filter((id) => id === request.requestId)).toHaveLength(3);
});

test('reports three malformed responses in a row as a case for people', async () => {
  const one = client();
  const errors = [];
  for (let call = 0; call < 3; call += 1) {
    errors.push(await one.request(requestFor('99050000000001')).catch((error: Error) => error.name));
  }
  expect(errors).toEqual(['VendorUnavailable', 'VendorUnavailable', 'VendorMisconfigured']);
});

test('sends the request id as the key, the credential, and only the number of the account', async () => {
  const received: { headers: Record<string, unknown>; body: any; path?: string | undefined }[] = [];
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        received.push({
          headers: request.headers,
          body: JSON.parse(Buffer.concat(parts).toString()),
          path: request.url,
        });
        response
          .writeHead(422)
          .end(JSON.stringify({ code: 'a sentence of the network operator', answered_at: '2026-11-21T06:00:00Z' }));
      });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    const request = requestFor('25000000000002');
    const answer = await client(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`).request(request);
    // A reason other than a code is dropped.
    expect(answer).toEqual({ answer: 'REJECTED', answeredAt: new Date('2026-11-21T06:00:00Z'), reason: null });
    expect(received).toMatchObject([
      {
        path: '/api/v1/switch-requests',
        headers: { authorization: 'Bearer secret', 'idempotency-key': request.requestId },
      },
    ]);
    expect(received[0]!.body).toEqual({
      request_id: request.requestId,
      supply_point_identifier: '25000000000002',
      supply_type: 'ELECTRICITY',
      start_date: '2027-01-01',
      reference: { import_supplier: 'ACME', external_account_number: 'A1' },
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
