import { Type } from 'typebox';
import { flagParameter } from '../../platform/http/query-parameters.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { lineOutcomes } from '../../vocabulary/import-jobs.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';
import { jobPath } from '../import-jobs.openapi.ts';
import { causesSchema, resultSchema } from './results.schema.ts';

/** A line of `form=resend`: the line as sent, with these additional members. */
const resendLine = Type.Object(
  {
    _line: Type.Integer({ description: 'Number of the line.' }),
    _errors: Type.Optional(Type.Array(resultSchema.properties.errors.items)),
    _warnings: Type.Optional(Type.Array(resultSchema.properties.errors.items)),
    _record: Type.Optional(Type.String({ description: 'The text of a line that is not a JSON object.' })),
    _record_base64: Type.Optional(Type.String({ description: 'The original bytes of a line that is not UTF-8.' })),
    _key: Type.Optional(Type.String({ description: 'The key, if the line itself was deleted or never uploaded.' })),
  },
  { title: 'LineToSendAgain', additionalProperties: true },
);

/** Results of one job. */
export function listResultsOpenApi(operationId: string, tag: RouteOpenApi['tag']): RouteOpenApi {
  return {
    operationId,
    tag,
    summary: 'Read the results of an import job',
    description:
      'JSON lines in the order of the job, at any time. `form=resend` returns the lines as they were sent, each with `_errors`, `_warnings` and `_line`, which are ignored when the line is sent again.',
    page: 'docs/suppliers/import-jobs.md',
    path: jobPath,
    query: {
      outcome: {
        description: 'The outcome of the lines to read.',
        example: 'failed',
        schema: { type: 'string', enum: membersOf(lineOutcomes) },
        isRequired: true,
        violations: ['required', 'invalid_choice'],
      },
      form: {
        description: 'Return lines as they were sent, to correct and send again.',
        example: 'resend',
        schema: { type: 'string', enum: ['resend'] },
        violations: ['invalid_choice'],
      },
    },
    replies: {
      200: {
        description: 'One line of JSON for each matching line of the job.',
        mediaType: 'application/x-ndjson',
        schema: Type.Union([resultSchema, resendLine]),
        example: { line: 7, key: 'HOME-00004711', outcome: 'succeeded', number: 'A-7KQ2M9XDT' },
      },
    },
    refusals: ['validation_failed', 'import_job_not_found'],
  };
}

const onlyBlocking = flagParameter('Omit warnings.', false);

const causesExample = {
  causes: [
    {
      code: 'invalid_choice',
      place: 'supply_addresses.*.supply_points.*.supply_type',
      is_warning: false,
      records: 412,
      alone: 398,
      example: { line: 17, value: 'Gaz' },
      detail: 'The value is not one of the allowed choices.',
      remedy:
        'Send one of the values in the detail; values are case-sensitive. For an import supplier, use a code that your key may import for.',
      page: '/docs/codes/invalid_choice/',
    },
  ],
};

/** Causes of one job. */
export function listCausesOpenApi(operationId: string, tag: RouteOpenApi['tag']): RouteOpenApi {
  return {
    operationId,
    tag,
    summary: 'List the causes of failed lines of an import job',
    description:
      'Errors by code and place, those that block most records first, then warnings. They are counted while the job runs and contain no personal data.',
    page: 'docs/suppliers/import-jobs.md',
    path: jobPath,
    query: { only_blocking: onlyBlocking },
    replies: { 200: { description: 'All causes.', schema: causesSchema, example: causesExample } },
    refusals: ['validation_failed', 'import_job_not_found'],
  };
}

/** Causes over all accounts that an import supplier has staged and not created. */
export function listStagedCausesOpenApi(operationId: string, tag: RouteOpenApi['tag']): RouteOpenApi {
  return {
    operationId,
    tag,
    summary: 'List the causes that block staged accounts of an import supplier',
    description:
      'The known causes, without a new attempt: rejections of earlier creations, skip marks, quarantined accounts, and business contracts that do not exist yet. The cause that blocks most accounts comes first.',
    page: 'docs/suppliers/import-jobs.md',
    path: { supplier: { description: 'Code of the import supplier.', example: 'SUPPLIER_FR' } },
    replies: {
      200: {
        description: 'All causes.',
        schema: causesSchema,
        example: {
          causes: [
            {
              code: 'business_contract_not_found',
              place: 'business.business_contract_identifier',
              is_warning: false,
              records: 1_240,
              alone: 1_236,
              example: { line: null, external_account_number: 'WORKS-00000017', value: null },
              detail:
                'No business of this import supplier has a contract with this identifier. Import the business first.',
              remedy:
                'Create the business with this contract first. business_contract_identifier must equal the identifier of one of its contracts.',
              page: '/docs/codes/business_contract_not_found/',
            },
          ],
        },
      },
    },
    refusals: ['not_found'],
  };
}
