import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { refuse } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import { listAuditOpenApi } from './audit.openapi.ts';
import { auditFilterIn } from './audit-filter.rules.ts';
import { findAuditPage } from './audit-page.store.ts';

const PATH = '/v1/operations/audit';
const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;

/** `GET audit/`: lists changes, newest first. The Link header leads to the next page. */
export const listAudit = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: PATH,
  access: 'operator',
  action: 'look',
  openApi: listAuditOpenApi,
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
      return refuse('validation_failed', {
        violations: [
          violation(
            'invalid',
            ['cursor'],
            'The cursor is not valid. Use the one from the header Link of the previous page.',
          ),
        ],
      });
    }
    const next = new URLSearchParams({ ...filter, limit: String(limit), cursor: page.next ?? '' });
    const headers: Record<string, string> = page.next === undefined ? {} : { link: `<${PATH}/?${next}>; rel="next"` };
    return { status: 200, body: page.entries, headers };
  },
});
