import { Type } from 'typebox';
import type { RouteOpenApi } from './route-openapi.ts';

const part = (values: readonly string[]) => Type.Unsafe<string>({ type: 'string', minLength: 1, enum: [...values] });
const parts = {
  database: part(['ok', 'away', 'misconfigured', 'not_writable']),
  temporal: part(['ok', 'away']),
  numbers: part(['ok', 'held_back']),
  process: part(['ok', 'stopping']),
  clock: part(['ok', 'jumped']),
};

export const liveOpenApi: RouteOpenApi = {
  operationId: 'isLive',
  tag: 'Health',
  summary: 'Check that the process runs',
  page: 'docs/running/processes.md#readiness',
  replies: {
    200: { description: 'The process runs.', schema: Type.Object({ status: part(['ok']) }), example: { status: 'ok' } },
  },
  refusals: [],
  neverAnswers: ['error', 'service_unavailable'],
};

export const readyOpenApi: RouteOpenApi = {
  operationId: 'isReady',
  tag: 'Health',
  summary: 'Check that the process is ready for requests',
  description:
    'Ready means: the database responds, Temporal accepts a workflow start, account numbers can be reserved, and the process is not shutting down. The body lists what is unavailable; `misconfigured`: the database rejects our settings; `not_writable`: it does not store data. A jump of the database clock within the last minute is reported as `clock: jumped`; the process stays ready. Database and Temporal are checked at most once per second.',
  page: 'docs/running/processes.md#readiness',
  replies: {
    200: {
      description: 'The process is ready.',
      schema: Type.Object({ status: part(['ok']), ...parts }),
      example: { status: 'ok', database: 'ok', temporal: 'ok', numbers: 'ok', process: 'ok', clock: 'ok' },
    },
  },
  refusals: [],
  neverAnswers: ['error'],
  // Absent if the process fails before it has checked them.
  refusalMembers: {
    service_unavailable: Type.Object(
      {
        database: Type.Optional(parts.database),
        temporal: Type.Optional(parts.temporal),
        numbers: Type.Optional(parts.numbers),
        process: Type.Optional(parts.process),
        clock: Type.Optional(parts.clock),
      },
      { title: 'AwayParts' },
    ),
  },
};
