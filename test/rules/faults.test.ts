import { createServer, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { databaseFailure } from '../../activities/failures.ts';
import { isTransientError, isMisconfiguration, isOwnTimeout, sqlStateOf } from '../../src/platform/database/faults.ts';

const withCode = (code: string) =>
  Object.assign(new Error('duplicate key value violates "x"; (mail)=(noemie@example.org)'), { code });

test.each([
  ['08000', 'connection exception'],
  ['08006', 'connection failure'],
  ['08P01', 'protocol violation'],
  ['25006', 'read-only after a fail-over'],
  ['25P03', 'idle in transaction for too long'],
  ['25P04', 'transaction time-out'],
  ['40001', 'serialization failure'],
  ['40P01', 'deadlock'],
  ['53100', 'disk full'],
  ['53200', 'out of memory'],
  ['53300', 'too many connections'],
  ['55P03', 'lock not available'],
  ['57014', 'statement time-out'],
  ['57P01', 'shut down'],
  ['57P02', 'crash'],
  ['57P03', 'starting up'],
  ['58030', 'disk error'],
  ['ECONNREFUSED', 'nobody listens'],
  ['ECONNRESET', 'cut'],
  ['EPIPE', 'connection lost while writing'],
  ['ETIMEDOUT', 'no answer'],
  ['EHOSTUNREACH', 'no route'],
  ['ENETUNREACH', 'no network'],
  ['ENOTFOUND', 'unknown host name'],
  ['EAI_AGAIN', 'no name server'],
  ['ECONNABORTED', 'aborted'],
  ['EMFILE', 'no file descriptor left in this process'],
  ['ENFILE', 'no file descriptor left on this machine'],
  ['ENOBUFS', 'no buffer left'],
])('classifies %s (%s) as an environment fault', (code) => {
  expect(isTransientError(withCode(code))).toBe(true);
  expect(databaseFailure(withCode(code))).toMatchObject({
    type: 'database_unavailable',
    nonRetryable: false,
    message: expect.stringContaining(code),
  });
});

test.each([
  ['28000', 'login refused'],
  ['28P01', 'wrong password'],
  ['3D000', 'unknown database'],
  ['42501', 'no right'],
])('classifies %s (%s) as an environment fault, and reports it as a misconfiguration', (code) => {
  expect(isTransientError(withCode(code))).toBe(true);
  expect(isMisconfiguration(new Error('wrapped', { cause: withCode(code) }))).toBe(true);
  expect(databaseFailure(withCode(code))).toMatchObject({
    type: 'database_misconfigured',
    nonRetryable: false,
    message: expect.stringContaining(code),
  });
  expect(isMisconfiguration(withCode('57P01'))).toBe(false);
});

test.each([
  ['22001', 'text too long'],
  ['22003', 'number out of range'],
  ['22007', 'not a date'],
  ['22P02', 'not a number'],
  ['22P05', 'character that cannot be stored'],
  ['23502', 'null'],
  ['23503', 'foreign key'],
  ['23505', 'unique'],
  ['23514', 'check'],
  ['21000', 'more than one row'],
  ['25P02', 'an earlier statement failed'],
  ['42P01', 'unknown table'],
  ['42703', 'unknown column'],
  ['54000', 'program limit exceeded'],
  ['55000', 'wrong state'],
  ['P0001', 'raised by a trigger'],
  ['XX000', 'bug of the database'],
])('classifies %s (%s) as a fault of the data or the code', (code) => {
  expect(isTransientError(withCode(code))).toBe(false);
  expect(databaseFailure(withCode(code))).toMatchObject({
    type: 'database_refuses_data',
    nonRetryable: false,
    message: expect.stringContaining(code),
    details: [{ sqlstate: code }],
  });
});

test.each([
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Query read timeout',
])('classifies a driver error without a code (%s) as an environment fault', (message) => {
  expect(isTransientError(new Error(message))).toBe(true);
});

test.each<[string, unknown, boolean]>([
  ['wrapped as a cause', new Error('query failed', { cause: withCode('57P01') }), true],
  ['one of several', new AggregateError([new Error('first'), withCode('ECONNREFUSED')]), true],
  ['a bug', new TypeError('x is not a function'), false],
  ['not an error', 'ECONNREFUSED', false],
  ['nothing', undefined, false],
])('recognizes a fault that is %s', (_what, fault, isEnvironment) => {
  expect(isTransientError(fault)).toBe(isEnvironment);
});

test('distinguishes our time-out from a cancelled statement, and from a lock time-out', () => {
  const raised = (code: string, message: string) => Object.assign(new Error(message), { code });
  expect(
    [
      raised('57014', 'canceling statement due to statement timeout'),
      new Error('wrapped', { cause: raised('57014', 'canceling statement due to statement timeout') }),
      raised('25P04', 'terminating connection due to transaction timeout'),
      raised('57014', 'canceling statement due to user request'),
      raised('55P03', 'canceling statement due to lock timeout'),
      raised('57P01', 'terminating connection due to administrator command'),
      new Error('Query read timeout'),
    ].map(isOwnTimeout),
  ).toEqual([true, true, true, false, false, false, false]);
});

test('does not take codes of Node for SQLSTATEs', () => {
  expect(
    ['EPIPE', 'ECONNREFUSED', '23505', undefined].map((code) => sqlStateOf(Object.assign(new Error(), { code }))),
  ).toEqual([undefined, undefined, '23505', undefined]);
});

test('logs location and code of a failure, and no values', () => {
  const failure = databaseFailure(
    Object.assign(withCode('23505'), {
      table: 'customer',
      constraint: 'customer_mail',
      detail: 'Key (email)=(noemie@example.org)',
    }),
  );
  expect(failure.message).toBe(
    'The database rejects the data (SQLSTATE 23505 at customer.customer_mail). Correct and stage the account again, or mark it to skip.',
  );
  expect(JSON.stringify({ message: failure.message, details: failure.details, cause: failure.cause })).not.toContain(
    'noemie',
  );
  expect(databaseFailure(new TypeError('noemie@example.org')).message).not.toContain('noemie');
});

test('classifies driver errors of an unreachable and of a frozen server as environment faults', async () => {
  const sockets: Socket[] = [];
  const frozen = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
  });
  const port = await new Promise<number>((resolve) => {
    frozen.listen(0, '127.0.0.1', () => resolve((frozen.address() as { port: number }).port));
  });
  const faults = await Promise.all(
    [`postgresql://a:b@127.0.0.1:${port}/x`, 'postgresql://a:b@127.0.0.1:9/x'].map(async (connectionString) => {
      const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 200 });
      const fault = await pool.query('select 1').then(
        () => undefined,
        (error: unknown) => error,
      );
      await pool.end();
      return fault;
    }),
  );
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => {
    frozen.close(resolve);
  });
  expect(faults.map(isTransientError)).toEqual([true, true]);
});
