import { Type } from 'typebox';
import { revealQuery } from '../access/index.ts';
import { accountKeyPath } from '../accounts/account-key.openapi.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { answeredText, opaqueObject, opaqueValue } from '../platform/validation/field-types.schema.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';

/** `GET accounts/<supplier>/<external>/`. */
export const findAccountOpenApi: RouteOpenApi = {
  operationId: 'findAccount',
  tag: 'Operations',
  summary: 'See all that is stored of an account',
  description:
    'The import process with its staged payload, and the account that was made of it. Each read leaves a line in the audit.',
  path: accountKeyPath,
  query: revealQuery,
  replies: {
    200: {
      description: 'The import process and its account.',
      schema: Type.Object(
        {
          import_supplier: Type.String(),
          external_account_number: Type.String(),
          workflow_ids: Type.Array(Type.String(), {
            description:
              'Runs that the account waits in, including a creation batch that waits for the database (known only while Temporal answers). That of its switch, `switch-supplier/<account number>`, stands here until the switch is completed; the run itself begins on the day on which it is due.',
          }),
          import_process: opaqueObject(),
          account: Type.Unsafe<object | null>({ type: ['object', 'null'], description: 'Null until it is created.' }),
          warnings: warningsMember,
        },
        { title: 'StoredAccount' },
      ),
      example: {
        import_supplier: 'SUPPLIER_FR',
        external_account_number: 'HOME-00004711',
        workflow_ids: ['create-account/SUPPLIER_FR/HOME-00004711'],
        import_process: { revision: 1 },
        account: null,
        warnings: [],
      },
    },
  },
  refusals: ['validation_failed', 'not_found'],
};

const changeOfPayload = Type.Object(
  {
    path: Type.Array(Type.String(), { description: 'Members and, in lists, places from 0.' }),
    before: opaqueValue(),
    after: opaqueValue(),
  },
  { title: 'ChangeOfPayload', description: 'Null where nothing stood.' },
);

/** `GET accounts/<supplier>/<external>/revisions/<revision>/`. */
export const findRevisionOpenApi: RouteOpenApi = {
  operationId: 'findAccountRevision',
  tag: 'Operations',
  summary: 'See what a revision of a staged account changed',
  description:
    'What was staged then, and where it differs from the revision before. What a revision held is kept until ten later ones have replaced it, and for 90 days after the creation (a setting). Each read leaves a line in the audit.',
  path: { ...accountKeyPath, revision: { description: 'Number of the revision, from 1.', example: '2' } },
  query: revealQuery,
  replies: {
    200: {
      description: 'The revision.',
      schema: Type.Object(
        {
          revision: Type.Integer(),
          staged_at: Type.String({ format: 'date-time', minLength: 1 }),
          payload_hash: Type.String(),
          payload: Type.Unsafe<object | null>({
            type: ['object', 'null'],
            opaque: true,
            description: 'Null when it is not kept any more.',
          }),
          payload_deleted_at: answeredText({
            format: 'date-time',
            description: 'When retention has deleted what was staged of the account; null until then.',
          }),
          content: Type.Unsafe<string>({ type: 'string', minLength: 1, enum: ['first', 'same', 'other'] }),
          changes: Type.Unsafe<object[] | null>({
            type: ['array', 'null'],
            items: changeOfPayload,
            description: 'Null when there is no revision before, or one of the two is not kept any more.',
          }),
          all_changes: Type.Boolean({ description: 'False: there are more changes than these.' }),
        },
        { title: 'AccountRevision' },
      ),
      example: {
        revision: 2,
        staged_at: '2026-11-20T17:00:00.000Z',
        payload_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        payload: { sales_channel: 'MOVE_IN' },
        payload_deleted_at: null,
        content: 'other',
        changes: [{ path: ['sales_channel'], before: 'DIRECT', after: 'MOVE_IN' }],
        all_changes: true,
      },
    },
  },
  refusals: ['validation_failed', 'not_found'],
};
