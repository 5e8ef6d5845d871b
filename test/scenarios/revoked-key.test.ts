import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi } from '../support/api-process.ts';
import { send, startService, type Answer, type Service } from '../support/harness.ts';

/** How long a token that was seen may go on after its key was revoked. */
const KNOWN_FOR_MS = 1_000;
const OBTAIN = 'mutation ($key: String!) { obtainToken(input: { APIKey: $key }) { token } }';

let service: Service;
let processes: Awaited<ReturnType<typeof startApi>>[];
let urls: string[];
beforeAll(async () => {
  service = await startService();
  processes = await Promise.all([startApi(service), startApi(service)]);
  urls = [service.url, ...processes.map(({ url }) => url)];
});
afterAll(async () => {
  for (const process of processes) await process.kill();
  await service.stop();
});

const makeKey = async (name: string): Promise<{ id: string; api_key: string }> =>
  (
    await service.call('POST', '/v1/operations/api-keys/', {
      token: service.operatorToken,
      body: { organisation: 'Acme', name, role: 'supplier', import_suppliers: ['SUPPLIER_FR'] },
    })
  ).body;
const obtain = async (url: string, key: string): Promise<string | undefined> =>
  (await send(url, 'POST', '/graphql/', { body: { query: OBTAIN, variables: { key } } })).body.data?.obtainToken?.token;
const onEach = async (use: (url: string) => Promise<Answer>): Promise<number[]> =>
  (await Promise.all(urls.map(use))).map(({ status }) => status);
const list = (token: string) => (url: string) =>
  send(url, 'GET', '/v1/data-import/all-account-import-processes/SUPPLIER_FR/', { token });

test('while a key is changed the old and the new one work side by side; the old one, once revoked, ends on every process within a second', async () => {
  const [old, next] = [await makeKey('autumn'), await makeKey('winter')];
  const [oldToken, newToken] = [await obtain(urls[1]!, old.api_key), await obtain(urls[2]!, next.api_key)] as [
    string,
    string,
  ];
  expect(await onEach(list(oldToken))).toEqual([200, 200, 200]);
  expect(await onEach(list(newToken))).toEqual([200, 200, 200]);

  // The other two processes do not hear of it; they have just seen the token.
  expect(
    (await send(urls[1]!, 'DELETE', `/v1/operations/api-keys/${old.id}/`, { token: service.operatorToken })).status,
  ).toBe(200);
  await new Promise((resolve) => {
    setTimeout(resolve, KNOWN_FOR_MS);
  });
  expect(await onEach(list(oldToken))).toEqual([401, 401, 401]);
  expect(await onEach(list(newToken))).toEqual([200, 200, 200]);
  expect(await Promise.all(urls.map((url) => obtain(url, old.api_key)))).toEqual([undefined, undefined, undefined]);
});
