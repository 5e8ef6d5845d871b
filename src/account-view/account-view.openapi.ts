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
  summary: 'Show all stored data of an account',
  description: 'The import process with its staged payload, and the created account. Each read is audited.',
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
              'Open runs of the account, including a creation batch that waits for the database (only while Temporal is available). `switch-supplier/<account number>` is listed until the switch is completed, although its run starts only on the day on which it is due.',
          }),
          import_process: opaqueObject(),
          account: Type.Unsafe<object | null>({
            type: ['object', 'null'],
            description: 'Null until the account is created.',
          }),
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
    path: Type.Array(Type.String(), { description: 'Names of members, and positions in lists from 0.' }),
    before: opaqueValue(),
    after: opaqueValue(),
  },
  { title: 'ChangeOfPayload', description: '`before` or `after` is null if there is no value.' },
);

/** `GET accounts/<supplier>/<external>/revisions/<revision>/`. */
export const findRevisionOpenApi: RouteOpenApi = {
  operationId: 'findAccountRevision',
  tag: 'Operations',
  summary: 'Show a revision of a staged account and its changes',
  description:
    'The staged data of the revision, and its differences from the previous one. The data is kept until there are ten later revisions, and for 90 days after the creation (a setting). Each read is audited.',
  path: { ...accountKeyPath, revision: { description: 'Number of the revision, starting with 1.', example: '2' } },
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
            description: 'Null if it is no longer stored.',
          }),
          payload_deleted_at: answeredText({
            format: 'date-time',
            description: 'Time when retention deleted the staged data of the account; null until then.',
          }),
          content: Type.Unsafe<string>({ type: 'string', minLength: 1, enum: ['first', 'same', 'other'] }),
          changes: Type.Unsafe<object[] | null>({
            type: ['array', 'null'],
            items: changeOfPayload,
            description: 'Null for the first revision, and if one of the two revisions is no longer stored.',
          }),
          all_changes: Type.Boolean({ description: 'False if there are more changes than are listed.' }),
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

// Every filter is a text, and no text may contain U+0000.
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
    'Numbers, codes and timestamps, without personal data. Sorted by import supplier and external account number; with `tariff` or days, newest first. A page scans at most 5,000 accounts, so it can be short or empty if few of them match; the header Link then leads to the next page.',
  page: 'docs/operators/support-site.md',
  query: {
    import_supplier: word('Only accounts of this import supplier.', 'SUPPLIER_FR'),
    status: {
      description: 'Staged, rejected at the last creation (REFUSED), skipped, or created.',
      example: 'REFUSED',
      schema: { type: 'string', enum: membersOf(importStatuses) },
      violations: ['invalid_choice', 'null_characters_not_allowed'],
    },
    switch_status: {
      description: 'Status of the industry switch. Only created accounts have one.',
      example: 'REJECTED',
      schema: { type: 'string', enum: membersOf(switchStatuses) },
      violations: ['invalid_choice', 'null_characters_not_allowed'],
    },
    refusal: word('A code for which the last creation was rejected.', 'business_contract_not_found'),
    tariff: word('Code of an agreed tariff. Only created accounts have one.', 'BASE'),
    staged_from: day('First staged on this day or later (UTC).'),
    staged_to: day('First staged on this day or earlier (UTC).'),
    created_from: day('Created on this day or later (UTC).'),
    created_to: day('Created on this day or earlier (UTC).'),
    limit: {
      description: 'Accounts per page. Default: 100.',
      example: 100,
      schema: { type: 'integer', minimum: 1, maximum: 1_000 },
      violations: ['invalid'],
    },
    cursor: {
      description: 'The cursor from the header Link of the previous page. Send it with the same filters.',
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
