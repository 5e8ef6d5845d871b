import { Type } from 'typebox';
import { revealQuery } from '../access/index.ts';
import { accountKeyPath } from '../accounts/account-key.schema.ts';
import { textCursor } from '../platform/http/cursor-schema.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { answeredText, opaqueObject, opaqueValue } from '../platform/validation/field-types.schema.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';
import { importStatuses } from '../vocabulary/account-list.ts';
import { switchStatuses } from '../vocabulary/switch-statuses.ts';
import { membersOf } from '../vocabulary/value-sets.ts';
import { listedAccountSchema } from './account-list.schema.ts';

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

// Every filter is text until it is looked at, and no text may hold U+0000.
const day = (description: string) =>
  ({
    description,
    example: '2026-11-20',
    schema: { type: 'string', format: 'date' },
    violations: ['invalid', 'null_characters_not_allowed'],
  }) as const;
const word = (description: string, example: string) =>
  ({ description, example, violations: ['max_length', 'null_characters_not_allowed'] }) as const;

/** `GET accounts/`. */
export const listAccountsOpenApi: RouteOpenApi = {
  operationId: 'listAccounts',
  tag: 'Operations',
  summary: 'List accounts, created or not',
  description:
    'Numbers, codes and moments, no personal data. With `tariff` or days the newest come first, else they are ordered by import supplier and external number. A page looks at 5,000 accounts at the most: where few of them fit the filters it is short or empty, and the header Link leads on.',
  page: 'docs/operators/support-site.md',
  query: {
    import_supplier: word('Accounts of this import supplier only.', 'SUPPLIER_FR'),
    status: {
      description: 'How far it has come: staged, refused at its last creation, marked to skip, or created.',
      example: 'REFUSED',
      schema: { type: 'string', enum: membersOf(importStatuses) },
      violations: ['invalid_choice', 'null_characters_not_allowed'],
    },
    switch_status: {
      description: 'State of the industry switch; created accounts only.',
      example: 'REJECTED',
      schema: { type: 'string', enum: membersOf(switchStatuses) },
      violations: ['invalid_choice', 'null_characters_not_allowed'],
    },
    refusal: word('A code for which its creation was refused the last time.', 'business_contract_not_found'),
    tariff: word('Code of a tariff that was agreed; created accounts only.', 'BASE'),
    staged_from: day('Staged for the first time on this day or later (UTC).'),
    staged_to: day('Staged for the first time on this day or earlier.'),
    created_from: day('Created on this day or later.'),
    created_to: day('Created on this day or earlier.'),
    limit: {
      description: 'Accounts per page, 100 unless given.',
      example: 100,
      schema: { type: 'integer', minimum: 1, maximum: 1_000 },
      violations: ['invalid'],
    },
    cursor: {
      description: 'Where a page begins; taken from the Link of the page before, with the same filters.',
      example: 'WyJTVVBQTElFUl9GUiIsIkhPTUUtMDAwMDQ3MTEiXQ',
      schema: textCursor,
      violations: ['invalid'],
    },
  },
  replies: {
    200: {
      description: 'A page of accounts.',
      schema: Type.Array(listedAccountSchema),
      example: [
        {
          import_supplier: 'SUPPLIER_FR',
          external_account_number: 'HOME-00004711',
          service_account_number: null,
          status: 'REFUSED',
          switch_status: null,
          refusal_codes: ['business_contract_not_found'],
          staged_at: '2026-11-20T17:00:00Z',
          created_at: null,
        },
      ],
      hasLink: true,
    },
  },
  refusals: ['validation_failed'],
};
