import { createSocket, type Socket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { openWebhooks, writeEvents } from '../../src/events/index.ts';
import { enqueueWork } from '../../src/platform/work-items/work-item.store.ts';
import { workflowIds } from '../../temporal.config.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { createAccounts } from '../support/created-accounts.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { patientBudget, shortBudget } from '../workflows/delivery-fakes.ts';

const ENDPOINTS = '/v1/operations/event-endpoints/';
const SUPPLIER = 'SUPPLIER_FR';

const receiver = await startWebhookReceiver();
const service = await startService({
  worker: true,
  settings: { WEBHOOK_PRIVATE_ADDRESSES: 'true', DISPATCH_EVERY_MS: '200' },
});
const token = await service.supplierToken([SUPPLIER]);
afterAll(async () => {
  await service.stop();
  await receiver?.stop();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.taken.length = 0;
  receiver.answer = () => 204;
});

const operate = (method: string, path: string, body?: object) =>
  service.call(method, path, { token: service.operatorToken, ...(body === undefined ? {} : { body }) });

/** An endpoint for this test alone; the receiver knows its secret. */
async function openEndpoint(): Promise<string> {
  for (const { endpoint_id: id, ended_at: end } of (await operate('GET', ENDPOINTS)).body) {
    if (end === null) await operate('DELETE', `${ENDPOINTS}${id}/`);
  }
  const created = await operate('POST', ENDPOINTS, { import_supplier: SUPPLIER, url: receiver.url });
  expect(created.status).toBe(201);
  receiver.secret = created.body.secret;
  return created.body.endpoint_id;
}

/** Events of as many subjects, with a separate delivery budget. */
async function addEvents(endpointId: string, subjects: readonly string[], budget = patientBudget): Promise<void> {
  await service.database.transaction(async (em) => {
    await writeEvents(
      em,
      subjects.map((subject) => ({
        importSupplier: SUPPLIER,
        type: 'import.account.created.v1',
        subject,
        data: { external_account_number: subject },
      })),
    );
    const input = { endpointId, importSupplier: SUPPLIER, budget };
    await enqueueWork(em, [{ workflowId: workflowIds.deliverEvents(endpointId), kind: 'deliver-events', input }], 0);
  });
}
const viewOf = async (id: string) => (await operate('GET', ENDPOINTS)).body.find((one: any) => one.endpoint_id === id);
const sequence = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

test('delivers events as they can be read, signed by both secrets during a change', async () => {
  const id = await openEndpoint();
  await createAccounts(service.database, SUPPLIER, [domesticAccount({ import_supplier: SUPPLIER }, 1)]);
  await until(() => receiver.taken.length === 1);
  const read = await service.call('GET', '/v1/data-import/events/', { token });
  expect(receiver.taken.map(({ event }) => event)).toEqual(read.body);
  expect(receiver.taken[0]).toMatchObject({ id: read.body[0].id, isSigned: true, path: '/events' });
  await until(async () => (await viewOf(id)).delivered_at !== null);

  const old = receiver.secret;
  const { secret } = (await operate('POST', `${ENDPOINTS}${id}/secret/`)).body;
  for (const [known, number] of [
    [old, 2],
    [secret, 3],
  ] as const) {
    receiver.secret = known;
    await createAccounts(service.database, SUPPLIER, [domesticAccount({ import_supplier: SUPPLIER }, number)]);
    await until(() => receiver.taken.length === number);
  }
  expect(receiver.taken.map(({ isSigned }) => isSigned)).toEqual([true, true, true]);
});

test('delivers each event after a receiver was down, with the same id, and each subject in order', async () => {
  const id = await openEndpoint();
  const subjects = [...sequence(12, 'accounts/D'), ...sequence(12, 'accounts/D')];
  let failures = 0;
  // Down, then up, then down in the middle, by disconnecting and by error responses.
  receiver.answer = () => {
    const attempt = receiver.received.length;
    const isDown = attempt < 4 || (attempt > 12 && attempt < 18);
    if (isDown) failures += 1;
    return isDown ? (attempt % 2 === 0 ? 0 : 503) : 204;
  };
  await addEvents(id, subjects);
  await until(async () => new Set(receiver.taken.map(({ id: eventId }) => eventId)).size === subjects.length);
  expect(failures).toBeGreaterThan(4);
  const read = (await service.call('GET', '/v1/data-import/events/?limit=500', { token })).body.slice(-subjects.length);
  const firstOf = new Map(receiver.taken.toReversed().map((one) => [one.id, one.event]));
  expect(new Set(firstOf.keys())).toEqual(new Set(read.map((event: any) => event.id)));
  for (const [subject, events] of Map.groupBy(read as any[], (event) => event.subject)) {
    const order = receiver.taken.map(({ id: eventId }) => eventId).filter((one, at, all) => all.indexOf(one) === at);
    const places = events.map((event) => order.indexOf(event.id));
    expect([subject, places]).toEqual([subject, places.toSorted((one, other) => one - other)]);
  }
  await until(async () => (await viewOf(id)).failing_since === null);
});

test('reports a receiver as stuck that fails for its whole time, and delivers pending events on retry', async () => {
  const id = await openEndpoint();
  receiver.answer = (_received, response) => {
    response.setHeader('location', receiver.url.replace('/events', '/elsewhere'));
    return 302;
  };
  await addEvents(id, ['accounts/S'], shortBudget);
  let stuck: any;
  await until(async () => {
    const { body } = await operate('GET', '/v1/operations/stuck/');
    stuck = body.stuck.find((one: any) => one.endpoint_id === id && one.cause === 'receiver_unreachable');
    return stuck !== undefined;
  });
  expect(stuck).toMatchObject({ kind: 'deliver-events', workflow_id: `deliver-events/${id}`, accounts: [] });
  expect(await viewOf(id)).toMatchObject({ failure: 'The receiver responded with status 302.', ended_at: null });
  // Redirects are not followed.
  expect(new Set(receiver.received.map(({ path }) => path))).toEqual(new Set(['/events']));
  receiver.answer = () => 204;
  // However long the machine takes for it.
  await service.database.pool.query(`update work_item set input = input - 'budget' where workflow_id = $1`, [
    workflowIds.deliverEvents(id),
  ]);
  const retried = await operate('POST', `/v1/operations/stuck/${stuck.id}/retry/`);
  expect(retried).toMatchObject({ status: 200, body: { outcome: 'workflow_started' } });
  await until(() => receiver.taken.length === 1);
});

test('ends an endpoint on 410', async () => {
  const id = await openEndpoint();
  receiver.answer = () => 410;
  await addEvents(id, ['accounts/G']);
  await until(async () => (await viewOf(id)).ended_because === 'gone');
  const left = await service.database.pool.query('select 1 from work_item where workflow_id = $1', [
    workflowIds.deliverEvents(id),
  ]);
  expect(left.rows).toEqual([]);
  expect(receiver.received).toHaveLength(1);
});

/** A name server that resolves each of them to the same addresses. */
async function startNames(addresses: readonly string[]): Promise<{ port: number; socket: Socket }> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const end = query.indexOf(0, 12);
    const isForIpv4 = query.readUInt16BE(end + 1) === 1;
    const question = query.subarray(12, end + 5);
    const answers = (isForIpv4 ? addresses : []).map((address) =>
      Buffer.concat([
        Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]),
        Buffer.from(address.split('.').map(Number)),
      ]),
    );
    const head = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, answers.length, 0, 0, 0, 0]);
    socket.send(Buffer.concat([head, question, ...answers]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, socket };
}

test('delivers to receivers on one host independently, however many are slow', async () => {
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/slow') held.push(response);
    else response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const webhooks = openWebhooks({ allowsPrivate: true });
  const deliver = (path: string, position: number) =>
    webhooks.deliver(
      { url: url(path), secrets: [receiver.secret] },
      {
        importSupplier: SUPPLIER,
        position: String(position),
        id: crypto.randomUUID(),
        type: 'import.account.created.v1',
        subject: `accounts/${position}`,
        data: {},
        occurredAt: new Date(),
      },
      new AbortController().signal,
    );
  const slow = Array.from({ length: 20 }, (_, index) => deliver('/slow', index));
  await until(() => held.length === 20);
  expect(await deliver('/quick', 20)).toEqual({ kind: 'delivered' });
  for (const response of held) response.writeHead(204).end();
  expect(new Set((await Promise.all(slow)).map(({ kind }) => kind))).toEqual(new Set(['delivered']));
  await webhooks.close();
  server.close();
});

test.each([
  ['an address of this machine', (url: string) => url, []],
  ['one in other clothes', (url: string) => url.replace('127.0.0.1', '[::ffff:127.0.0.1]'), []],
  ['a name that leads there', (url: string) => url.replace('127.0.0.1', 'hooks.example.com'), ['127.0.0.1']],
  [
    'a name that leads there and elsewhere',
    (url: string) => url.replace('127.0.0.1', 'hooks.example.com'),
    ['1.1.1.1', '127.0.0.1'],
  ],
])('does not call %s where private addresses are not allowed', async (_case, addressOf, addresses) => {
  const names = await startNames(addresses);
  const resolver = new dns.Resolver({ timeout: 3_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${names.port}`]);
  const webhooks = openWebhooks({ allowsPrivate: false, names: resolver });
  const event = {
    importSupplier: SUPPLIER,
    position: '1',
    id: crypto.randomUUID(),
    type: 'import.account.created.v1',
    subject: 'accounts/P',
    data: {},
    occurredAt: new Date(),
  } as const;
  const target = { url: addressOf(receiver.url), secrets: [receiver.secret] };
  expect(await webhooks.deliver(target, event, new AbortController().signal)).toEqual({
    kind: 'failed',
    why: 'The host name of the receiver resolves to an address that is not public.',
  });
  expect(receiver.received).toEqual([]);
  await webhooks.close();
  names.socket.close();
});
