import { idCursor } from '../../platform/http/cursor-schema.ts';
import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { importJobStatuses } from '../../vocabulary/import-jobs.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';
import { listedExample, listedJob } from './find-import-job.openapi.ts';
import { EXAMPLE_JOB } from '../import-jobs.openapi.ts';

const common = {
  query: {
    import_supplier: {
      description: 'Jobs of this import supplier only.',
      example: 'SUPPLIER_FR',
      violations: ['null_characters_not_allowed'],
    },
    status: {
      description: 'Jobs of this status only.',
      example: 'PAUSED',
      schema: { type: 'string', enum: membersOf(importJobStatuses) },
      violations: ['invalid_choice'],
    },
    limit: {
      description: 'Jobs per page, 20 unless given; the header Link then leads to older ones.',
      example: 20,
      schema: { type: 'integer', minimum: 1, maximum: 100 },
      violations: ['invalid'],
    },
    cursor: {
      description: 'Where a page begins; taken from the Link of the page before.',
      example: EXAMPLE_JOB,
      schema: idCursor,
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'The jobs, without their causes and parts.',
      hasLink: true,
      schema: Type.Array(listedJob()),
      example: [listedExample],
    },
  },
  refusals: ['validation_failed'],
} as const satisfies Partial<RouteOpenApi>;

/** `GET import-jobs/`. */
export const listImportJobsOpenApi: RouteOpenApi = {
  ...common,
  operationId: 'listImportJobs',
  tag: 'Import jobs',
  summary: 'List the newest import jobs',
  description: "The jobs of your organisation whose import supplier is one of your key's, newest first.",
  page: 'docs/suppliers/import-jobs.md',
};

/** The same for operators. */
export const listImportJobsForOperatorOpenApi: RouteOpenApi = {
  ...common,
  operationId: 'listImportJobsForOperator',
  tag: 'Operations',
  summary: 'List the newest import jobs of all suppliers',
  page: 'docs/suppliers/import-jobs.md#for-operators',
};
