import { textCursor } from '../../platform/http/cursor-schema.ts';
import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredText } from '../../platform/validation/field-types.schema.ts';
import type { ListKind } from './import-process.store.ts';

const listItem = Type.Object(
  {
    external_account_number: Type.String(),
    service_account_number: answeredText({ description: 'Null until the account is created.' }),
    account_created_at: answeredText({ description: 'Null until the account is created.', format: 'date-time' }),
  },
  { title: 'AccountImportProcess' },
);

const listed: Record<ListKind, { words: string; example: unknown[] }> = {
  all: {
    words: 'all account imports',
    example: [
      {
        external_account_number: 'HOME-00004711',
        service_account_number: 'A-7KQ2M9XDT',
        account_created_at: '2026-11-02T21:15:09Z',
      },
      { external_account_number: 'HOME-00004712', service_account_number: null, account_created_at: null },
    ],
  },
  pending: {
    words: 'import processes without a created account',
    example: [{ external_account_number: 'HOME-00004712', service_account_number: null, account_created_at: null }],
  },
  imported: {
    words: 'import processes with a created account',
    example: [
      {
        external_account_number: 'HOME-00004711',
        service_account_number: 'A-7KQ2M9XDT',
        account_created_at: '2026-11-02T21:15:09Z',
      },
    ],
  },
};

/** Operations 9, 10 and 11. */
export function listImportProcessesOpenApi(list: ListKind): RouteOpenApi {
  const { words, example } = listed[list];
  return {
    operationId: `list${list.charAt(0).toUpperCase()}${list.slice(1)}ImportProcesses`,
    tag: 'Accounts',
    summary: `List ${words} of an import supplier`,
    description: 'Ordered by external account number. Without `limit` the whole list is streamed as one array.',
    path: { supplier: { description: 'Code of the import supplier.', example: 'SUPPLIER_FR' } },
    query: {
      limit: {
        description: 'Items per page; the Link header leads to the next page.',
        example: 100,
        schema: { type: 'integer', minimum: 1, maximum: 1_000 },
        violations: ['invalid'],
      },
      cursor: {
        description: 'Start of the page, from the Link header of the previous page.',
        example: 'SE9NRS0wMDAwNDcxMQ',
        schema: textCursor,
        violations: ['invalid'],
      },
    },
    replies: { 200: { description: `The list of ${words}.`, schema: Type.Array(listItem), example, hasLink: true } },
    refusals: ['validation_failed', 'not_found'],
  };
}
