import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

test.each([
  ['a body without a query', {}, 'validation_failed', [['query', 'required']]],
  ['a query that is not a string', { query: 1 }, 'validation_failed', [['query', 'invalid']]],
  [
    'variables that are not an object',
    { query: '{ service }', variables: 'x' },
    'validation_failed',
    [['variables', 'invalid']],
  ],
  [
    'an operation name that is not a string',
    { query: '{ service }', operationName: 1 },
    'validation_failed',
    [['operationName', 'invalid']],
  ],
  ['a list', [], 'validation_failed', [['query', 'required']]],
  ['no JSON', '{', 'parse_error', []],
])('rejects %s', async (_what, body, code, errors) => {
  const answer = await service.call('POST', '/graphql/', { body });
  expect(answer).toMatchObject({ status: 400, body: { code } });
  expect(answer.body.errors.map((error: { attr: string; code: string }) => [error.attr, error.code])).toEqual(errors);
});

test('rejects a charset other than UTF-8', async () => {
  const answer = await service.call('POST', '/graphql/', {
    body: '{"query":"{ service }"}',
    headers: { 'content-type': 'application/json; charset=latin1' },
  });
  expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
});

test.each([
  ['a field', '{ servise }', undefined],
  ['an argument', 'mutation { obtainToken(inputs: {}) { token } }', undefined],
  ['a type', 'query ($x: Strin) { service }', undefined],
  ['a field of the input', 'mutation { obtainToken(input: { APIKeys: "x" }) { token } }', undefined],
  ['a directive', '{ service @skipp(if: true) }', undefined],
  [
    'a variable',
    'mutation ($x: ObtainJSONWebTokenInput!) { obtainToken(input: $x) { token } }',
    { x: { APIKeys: 'x' } },
  ],
])('rejects a misspelled name of %s without revealing the right one', async (_what, query, variables) => {
  const answer = await service.call('POST', '/graphql/', { body: { query, variables } });
  expect(answer.body.errors.length).toBeGreaterThan(0);
  expect(JSON.stringify(answer.body)).not.toMatch(/did you mean/i);
});

test('rejects query parameters: the request belongs in the body', async () => {
  const answer = await service.call('POST', '/graphql/?query=%7Bservice%7D', { body: { query: '{ service }' } });
  expect(answer).toMatchObject({ status: 400, body: { code: 'unknown_query_parameter', errors: [{ attr: 'query' }] } });
});
