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

/** `GET /healthz/live`. */
export const liveOpenApi: RouteOpenApi = {
  operationId: 'isLive',
  tag: 'Health',
  summary: 'Whether the process runs',
  page: 'docs/running/processes.md#readiness',
  replies: {
    200: { description: 'It runs.', schema: Type.Object({ status: part(['ok']) }), example: { status: 'ok' } },
  },
  refusals: [],
  neverAnswers: ['error', 'service_unavailable'],
};

/** `GET /healthz/ready`. */
export const readyOpenApi: RouteOpenApi = {
  operationId: 'isReady',
  tag: 'Health',
  summary: 'Whether the process takes requests',
  description:
    "The database answers, Temporal takes the start of a workflow, numbers can be given, and the process is not stopping; the body names what is away, and a database that refuses our settings as `misconfigured`, one that stores nothing as `not_writable`. A jump of the database's clock within the last minute is reported as `clock: jumped`; the process stays ready. Database and Temporal are asked at most once a second, however many ask here.",
  page: 'docs/running/processes.md#readiness',
  replies: {
    200: {
      description: 'It does.',
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
