import { expect, test } from '@jest/globals';
import { statementName } from '../../src/platform/database/pool-dialect.ts';
import { parseTraceparent, traceparentOf, traceContextOfRun } from '../../src/vocabulary/trace-header.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test.each([
  [`00-${TRACE}-${SPAN}-01`, { traceId: TRACE, spanId: SPAN, isSampled: true }],
  [`00-${TRACE}-${SPAN}-02`, { traceId: TRACE, spanId: SPAN, isSampled: false }],
  [`cc-${TRACE}-${SPAN}-01-of-a-later-version`, { traceId: TRACE, spanId: SPAN, isSampled: true }],
  [`ff-${TRACE}-${SPAN}-01`, undefined],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${SPAN}-1`, undefined],
  [`00-${TRACE}-${SPAN}-011`, undefined],
  ['', undefined],
])('reads traceparent %s as W3C specifies', (text, place) => {
  expect(parseTraceparent(text)).toEqual(place);
});

test('writes a trace context as it was read', () => {
  for (const flags of ['00', '01']) {
    const text = `00-${TRACE}-${SPAN}-${flags}`;
    expect(traceparentOf(parseTraceparent(text)!)).toBe(text);
  }
});

test('derives the span of a run from its id, and its trace if it begins one', () => {
  const runId = '019e2f0a-5b1c-7d3e-8f90-a1b2c3d4e5f6';
  expect(traceContextOfRun(runId, TRACE)).toEqual({ traceId: TRACE, spanId: '8f90a1b2c3d4e5f6', isSampled: true });
  expect(parseTraceparent(traceparentOf(traceContextOfRun(runId)))).toMatchObject({
    traceId: '019e2f0a5b1c7d3e8f90a1b2c3d4e5f6',
  });
});

test.each([
  ['staged-document', 'staged-document'],
  ['commit', 'commit'],
  ['begin isolation level read committed', 'begin'],
  ['select "a"."id" from "account" as "a" where "a"."number" = $1', 'select account'],
  ['insert into "note" ("body") values ($1)', 'insert note'],
  ["update work_item set state = 'from Canarietta' where id = 'it''s update serin'", 'update work_item'],
  ["select 'from canarietta'", 'select'],
  ['', 'sql'],
])('shows a statement without values: %s', (text, name) => {
  expect(statementName(text)).toBe(name);
});
