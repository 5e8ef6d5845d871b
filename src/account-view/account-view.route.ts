import { limitParameter } from '../platform/http/query-parameters.ts';
import { Type } from 'typebox';
import { contactDataReadOf, revealQuery } from '../access/index.ts';
import { accountKeyPath } from '../accounts/account-key.schema.ts';
import type { Database } from '../platform/database/database.ts';
import { textCursor } from '../platform/http/newest-page.ts';
import { operatorRead, type Route } from '../platform/http/route.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import {
  answeredInstant,
  oneOf,
  opaqueObject,
  opaqueValue,
  requiredInstant,
} from '../platform/validation/field-types.schema.ts';
import { warningsMember } from '../platform/validation/warning.schema.ts';
import { importStatuses } from '../vocabulary/account-list.ts';
import { switchStatuses } from '../vocabulary/switch-statuses.ts';
import { membersOf } from '../vocabulary/value-sets.ts';
import { isRefused, refuse } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { readAccountFilter, listAccounts as listAccountsInDatabase } from './list-accounts.store.ts';
import { listedAccountSchema } from './account-list.schema.ts';
import { readAccount, readRevision } from './read-account.client.ts';

const findOpenApi: RouteOpenApi = {
  operationId: 'findAccount',
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
            examples: [['create-account/SUPPLIER_FR/HOME-00004711']],
          }),
          import_process: opaqueObject({ examples: [{ revision: 1 }] }),
          account: Type.Unsafe<object | null>({
            type: ['object', 'null'],
            description: 'Null until the account is created.',
          }),
          warnings: warningsMember,
        },
        { title: 'StoredAccount' },
      ),
      example: { warnings: [] },
    },
  },
  refusals: ['not_found'],
};

/** `GET accounts/<supplier>/<external>/`: all that is stored of an import process and its account. */
export const findAccount = (deps: { database: Database; gateway: TemporalGateway }): Route =>
  operatorRead({
    path: '/v1/operations/accounts/:supplier/:external',
    openApi: findOpenApi,
    handle: async (request) => {
      const { params, caller } = request;
      const read = contactDataReadOf(request);
      if (isRefused(read)) return read;
      const { supplier, external } = params;
      const json = await readAccount(deps, caller, { supplier, external }, read);
      return isRefused(json) ? json : { status: 200, body: undefined, bodyJson: json };
    },
  });

const changeOfPayload = Type.Object(
  {
    path: Type.Array(Type.String(), { description: 'Names of members, and positions in lists from 0.' }),
    before: opaqueValue(),
    after: opaqueValue(),
  },
  { title: 'ChangeOfPayload', description: '`before` or `after` is null if there is no value.' },
);

const revisionOpenApi: RouteOpenApi = {
  operationId: 'findAccountRevision',
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
          revision: Type.Integer({ examples: [2] }),
          staged_at: requiredInstant(),
          payload_hash: Type.String({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] }),
          payload: Type.Unsafe<object | null>({
            type: ['object', 'null'],
            opaque: true,
            description: 'Null if it is no longer stored.',
            examples: [{ sales_channel: 'MOVE_IN' }],
          }),
          payload_deleted_at: answeredInstant({
            description: 'Time when retention deleted the staged data of the account; null until then.',
          }),
          content: oneOf(['first', 'same', 'other'], { examples: ['other'] }),
          changes: Type.Unsafe<object[] | null>({
            type: ['array', 'null'],
            items: changeOfPayload,
            description: 'Null for the first revision, and if one of the two revisions is no longer stored.',
            examples: [[{ path: ['sales_channel'], before: 'DIRECT', after: 'MOVE_IN' }]],
          }),
          all_changes: Type.Boolean({
            description: 'False if there are more changes than are listed.',
            examples: [true],
          }),
        },
        { title: 'AccountRevision' },
      ),
    },
  },
  refusals: ['not_found'],
};

/** `GET accounts/<supplier>/<external>/revisions/<revision>/`: the staged data of a revision and its changes. */
export const findRevision = (deps: { database: Database }): Route =>
  operatorRead({
    path: '/v1/operations/accounts/:supplier/:external/revisions/:revision',
    openApi: revisionOpenApi,
    handle: async (request) => {
      const read = contactDataReadOf(request);
      if (isRefused(read)) return read;
      const json = await readRevision(deps.database, request.caller, request.params, read);
      return isRefused(json) ? json : { status: 200, body: undefined, bodyJson: json };
    },
  });

const PATH = '/v1/operations/accounts';
const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;

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

const listOpenApi: RouteOpenApi = {
  operationId: 'listAccounts',
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
    limit: limitParameter('Accounts per page. Default: 100.', LIMIT_DEFAULT, LIMIT_MAX),
    cursor: {
      description: 'The cursor from the header Link of the previous page. Send it with the same filters.',
      example: 'WyJTVVBQTElFUl9GUiIsIkhPTUUtMDAwMDQ3MTEiXQ',
      schema: textCursor,
    },
  },
  replies: { 200: { description: 'A page of accounts.', schema: Type.Array(listedAccountSchema), hasLink: true } },
};

/** `GET accounts/`: accounts by supplier, status, rejection code, tariff and day; the header Link leads to the next page. */
export const listAccounts = (deps: { database: Database }): Route =>
  operatorRead({
    path: PATH,
    openApi: listOpenApi,
    handle: async ({ query }) => {
      const sent = query.get('limit') ?? String(LIMIT_DEFAULT);
      const limit = /^\d{1,4}$/.test(sent) ? Number(sent) : 0;
      if (limit < 1 || limit > LIMIT_MAX) {
        const detail = `A whole number from 1 to ${LIMIT_MAX} is expected.`;
        return refuse('validation_failed', { violations: [violation('invalid', ['limit'], detail)] });
      }
      const read = readAccountFilter(query);
      if (isRefused(read)) return read;
      const { accounts, nextCursor } = await listAccountsInDatabase(deps.database, read.filter, {
        after: read.after,
        limit,
      });
      const next = new URLSearchParams({ ...read.filter, limit: String(limit), cursor: nextCursor ?? '' });
      const headers: Record<string, string> =
        nextCursor === undefined ? {} : { link: `<${PATH}/?${next}>; rel="next"` };
      return { status: 200, body: accounts, headers };
    },
  });
