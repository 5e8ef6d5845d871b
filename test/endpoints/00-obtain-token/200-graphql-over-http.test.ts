import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());

const GRAPHQL_TYPE = 'application/graphql-response+json';

test.each([GRAPHQL_TYPE, `${GRAPHQL_TYPE}, application/json;q=0.9`, `${GRAPHQL_TYPE};charset=utf-8`])(
  'answers in the media type of GraphQL over HTTP if the client accepts %s',
  async (accept) => {
    for (const path of ['/graphql', '/graphql/']) {
      const answer = await service.call('POST', path, { body: { query: '{ service }' }, headers: { accept } });
      expect(answer).toMatchObject({ status: 200, body: { data: { service: 'gangway' } } });
      expect(answer.headers['content-type']).toContain(GRAPHQL_TYPE);
    }
  },
);

test.each([`${GRAPHQL_TYPE};q=0`, 'text/html'])('rejects a client that accepts only %s', async (accept) => {
  const answer = await service.call('POST', '/graphql/', { body: { query: '{ service }' }, headers: { accept } });
  expect(answer.status).toBe(406);
});

test('keeps JSON as the media type of other paths', async () => {
  const answer = await service.call('GET', '/v1/data-import/all-account-import-processes/SUPPLIER_FR/', {
    headers: { accept: GRAPHQL_TYPE },
  });
  expect(answer.status).toBe(406);
});
