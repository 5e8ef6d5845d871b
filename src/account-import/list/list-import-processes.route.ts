import { limitParameter } from '../../platform/http/query-parameters.ts';
import { Type } from 'typebox';
import { explainUnknownSupplier } from '../../suppliers/supplier-status.rules.ts';
import type { Database } from '../../platform/database/database.ts';
import { accountKeyPath } from '../../accounts/account-key.schema.ts';
import { textCursor } from '../../platform/http/newest-page.ts';
import type { AuthenticatedRequest, Reply, Route } from '../../platform/http/route.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { answeredInstant, answeredText } from '../../platform/validation/field-types.schema.ts';
import type { SupplierDirectory } from '../../suppliers/index.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';
import { readPage, type ListKind, type Page } from './import-process.store.ts';

interface ListDeps {
  /** The pool for lists, so that long lists do not use the connections of other requests. */
  lists: Database;
  suppliers: SupplierDirectory;
}

const PAGE_SIZE = 1_000;
const LIMIT_MAX = 1_000;

const listItem = Type.Object(
  {
    external_account_number: Type.String(),
    service_account_number: answeredText({ description: 'Null until the account is created.' }),
    account_created_at: answeredInstant({
      description: 'Null until the account is created.',
      examples: ['2026-11-02T21:15:09Z'],
    }),
  },
  { title: 'AccountImportProcess' },
);
const created = {};
const pending = { external_account_number: 'HOME-00004712', service_account_number: null, account_created_at: null };
const listed: Record<ListKind, { words: string; example: object[] }> = {
  all: { words: 'all account imports', example: [created, pending] },
  pending: { words: 'import processes without a created account', example: [pending] },
  imported: { words: 'import processes with a created account', example: [created] },
};

function openApiOf(list: ListKind): RouteOpenApi {
  const { words, example } = listed[list];
  return {
    operationId: `list${list.charAt(0).toUpperCase()}${list.slice(1)}ImportProcesses`,
    tag: 'Accounts',
    summary: `List ${words} of an import supplier`,
    description: 'Ordered by external account number. Without `limit` the whole list is streamed as one array.',
    path: { supplier: accountKeyPath.supplier },
    query: {
      limit: limitParameter('Items per page; the Link header leads to the next page.', 100, LIMIT_MAX),
      cursor: {
        description: 'Start of the page, from the Link header of the previous page.',
        example: 'SE9NRS0wMDAwNDcxMQ',
        schema: textCursor,
      },
    },
    replies: { 200: { description: `The list of ${words}.`, schema: Type.Array(listItem), example, hasLink: true } },
    refusals: ['not_found'],
  };
}

/** Operations 9, 10 and 11: list all, pending or imported import processes of one supplier. */
export const listImportProcesses = (list: ListKind, deps: ListDeps): Route => ({
  method: 'GET',
  path: `/v1/data-import/${list}-account-import-processes/:supplier`,
  access: 'supplier',
  openApi: openApiOf(list),
  isLong: (query) => !query.has('limit'),
  handle: async (request) => {
    const supplier = request.params['supplier'] ?? '';
    if (!request.caller.importSuppliers.has(supplier) || !(await deps.suppliers.find(supplier))) {
      return refuse('not_found', {
        detail: explainUnknownSupplier(request.caller, 'There is no import supplier with this code.'),
      });
    }
    const window = readWindow(request);
    if (isRefused(window)) return window;
    return window.limit === undefined
      ? { status: 200, body: wholeList(deps.lists, list, supplier, window.after) }
      : onePage(deps.lists, list, supplier, window.after, window.limit);
  },
});

interface Window {
  limit: number | undefined;
  after: string;
}

function readWindow(request: AuthenticatedRequest): Window | Refused {
  const limit = request.query.get('limit');
  const cursor = request.query.get('cursor');
  const after = cursor === null ? '' : Buffer.from(cursor, 'base64url').toString('utf8');
  const violations: Violation[] = [];
  if (limit !== null && !(/^[1-9]\d{0,3}$/.test(limit) && Number(limit) <= LIMIT_MAX)) {
    violations.push(violation('invalid', ['limit'], `Send a whole number from 1 to ${LIMIT_MAX}.`));
  }
  // Decoding ignores unknown characters, so a modified cursor could start at the wrong position.
  if (cursor !== null && (after === '' || after.includes('\u0000') || cursorOf(after) !== cursor)) {
    violations.push(violation('invalid', ['cursor'], 'Use the cursor from the Link header of the previous page.'));
  }
  return violations.length > 0
    ? refuse('validation_failed', { violations })
    : { limit: limit === null ? undefined : Number(limit), after };
}

function cursorOf(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url');
}

async function onePage(
  lists: Database,
  list: ListKind,
  supplier: string,
  after: string,
  limit: number,
): Promise<Reply> {
  const page = await readPage(lists, list, supplier, after, limit);
  const headers: Record<string, string> = {};
  if (page.lastKey !== undefined) {
    const cursor = cursorOf(page.lastKey);
    headers['link'] =
      `</v1/data-import/${list}-account-import-processes/${encodeURIComponent(supplier)}/?limit=${limit}&cursor=${cursor}>; rel="next"`;
  }
  return { status: 200, body: undefined, bodyJson: `[${page.items.join(',')}]`, headers };
}

/** The whole list as one JSON array. */
async function* wholeList(lists: Database, list: ListKind, supplier: string, after: string): AsyncGenerator<string> {
  let separator = '[';
  for (let key: string | undefined = after; key !== undefined;) {
    const page: Page = await readPage(lists, list, supplier, key, PAGE_SIZE);
    if (page.items.length > 0) {
      yield separator + page.items.join(',');
      separator = ',';
    }
    key = page.lastKey;
  }
  yield separator === '[' ? '[]' : ']';
}
