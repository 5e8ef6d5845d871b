import { textCursor } from '../platform/http/cursor-schema.ts';
import { Type } from 'typebox';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { importStatuses } from '../vocabulary/account-list.ts';
import { switchStatuses } from '../vocabulary/switch-statuses.ts';
import { membersOf } from '../vocabulary/value-sets.ts';
import { listedAccountSchema } from './list-accounts.schema.ts';

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
