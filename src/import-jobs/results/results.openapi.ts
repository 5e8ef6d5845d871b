import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { lineOutcomes } from '../../vocabulary/import-jobs.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';
import { jobPath } from '../import-jobs.openapi.ts';
import { resultSchema } from './result.schema.ts';

/** What `form=resend` gives: the line as sent, with these beside its own members. */
const resendLine = Type.Object(
  {
    _line: Type.Integer({ description: 'Number of the line.' }),
    _errors: Type.Optional(Type.Array(resultSchema.properties.errors.items)),
    _warnings: Type.Optional(Type.Array(resultSchema.properties.errors.items)),
    _record: Type.Optional(Type.String({ description: 'The text of a line that is no JSON object.' })),
    _key: Type.Optional(Type.String({ description: 'Where the line itself is deleted, or was never uploaded.' })),
  },
  { title: 'LineToSendAgain', additionalProperties: true },
);

/** Results of one job. */
export function listResultsOpenApi(operationId: string, tag: RouteOpenApi['tag']): RouteOpenApi {
  return {
    operationId,
    tag,
    summary: 'Read what became of the lines of an import job',
    description:
      'JSON lines in the order of the job, at any time. `form=resend` gives the lines as they were sent, each with `_errors`, `_warnings` and `_line`, which are ignored when it is sent again.',
    page: 'docs/suppliers/import-jobs.md',
    path: jobPath,
    query: {
      outcome: {
        description: 'Which lines.',
        example: 'failed',
        schema: { type: 'string', enum: membersOf(lineOutcomes) },
        isRequired: true,
        violations: ['required', 'invalid_choice'],
      },
      form: {
        description: 'Lines as they were sent, so that they can be corrected and sent again.',
        example: 'resend',
        schema: { type: 'string', enum: ['resend'] },
        violations: ['invalid_choice'],
      },
    },
    replies: {
      200: {
        description: 'A line of JSON for each line of the job.',
        mediaType: 'application/x-ndjson',
        schema: Type.Union([resultSchema, resendLine]),
        example: { line: 7, key: 'HOME-00004711', outcome: 'succeeded', number: 'A-7KQ2M9XDT' },
      },
    },
    refusals: ['validation_failed', 'import_job_not_found'],
  };
}
