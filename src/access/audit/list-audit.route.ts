import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { idCursor } from '../../platform/http/newest-page.ts';
import { operatorRead, type Route } from '../../platform/http/route.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { refuse } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import { auditEntryView } from './audit-entry.schema.ts';
import { auditFilterIn } from './audit-filter.rules.ts';
import { findAuditPage } from './audit-page.store.ts';

const PATH = '/v1/operations/audit';
const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;

/** Either of two formats: generators know no parameter of two forms. */
const dateOrTimestamp = { type: 'string', minLength: 1 };
const openApi: RouteOpenApi = {
  operationId: 'listAudit',
  summary: 'List audit entries',
  query: {
    limit: {
      description: 'Maximum number of entries.',
      example: LIMIT_DEFAULT,
      schema: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
    },
    subject: {
      description: 'Path of the changed resource below /v1/operations/.',
      example: 'import-suppliers/SUPPLIER_FR',
    },
    action: { description: '`<noun>.<verb in the past>`.', example: 'import_supplier.changed' },
    actor: { description: 'The person, or `<organization> / <key>`.', example: 'Support / console' },
    account: {
      description: '`<import supplier>/<external number>`: entries about this account.',
      example: 'SUPPLIER_FR/A-1',
    },
    from: { description: 'First date or timestamp, inclusive.', example: '2026-11-20', schema: dateOrTimestamp },
    to: {
      description: 'Last date, inclusive, or a timestamp, exclusive.',
      example: '2026-11-22',
      schema: dateOrTimestamp,
    },
    cursor: {
      description: 'The cursor from the header Link of the previous page.',
      example: '0198c0de-0000-7000-8000-000000000003',
      schema: idCursor,
    },
  },
  replies: {
    200: {
      description:
        'Newest first. With some combinations of filters, a page scans at most 20,000 entries and can be empty; the header Link then leads to earlier entries.',
      hasLink: true,
      schema: Type.Array(auditEntryView),
    },
  },
};

/** `GET audit/`: lists changes, newest first. The Link header leads to the next page. */
export const listAudit = (deps: { database: Database }): Route =>
  operatorRead({
    path: PATH,
    openApi,
    handle: async ({ query }) => {
      const sent = query.get('limit') ?? String(LIMIT_DEFAULT);
      const limit = /^\d{1,9}$/.test(sent) ? Number(sent) : 0;
      if (limit < 1 || limit > LIMIT_MAX) {
        return refuse('validation_failed', {
          violations: [violation('invalid', ['limit'], `A whole number from 1 to ${LIMIT_MAX} is expected.`)],
        });
      }
      const filter = auditFilterIn(query);
      if (Array.isArray(filter)) return refuse('validation_failed', { violations: filter });
      const cursor = query.get('cursor') ?? undefined;
      const page = await findAuditPage(deps.database.em(), { filter, limit, cursor });
      if (page === undefined) {
        const detail = 'The cursor is not valid. Use the one from the header Link of the previous page.';
        return refuse('validation_failed', { violations: [violation('invalid', ['cursor'], detail)] });
      }
      const next = new URLSearchParams({ ...filter, limit: String(limit), cursor: page.next ?? '' });
      const headers: Record<string, string> = page.next === undefined ? {} : { link: `<${PATH}/?${next}>; rel="next"` };
      return { status: 200, body: page.entries, headers };
    },
  });
