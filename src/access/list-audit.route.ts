import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { refuse } from '../vocabulary/refusals.ts';
import { violation } from '../vocabulary/violations.ts';
import { listAuditOpenApi } from './audit.openapi.ts';
import { findAuditEntries } from './audit-entry.store.ts';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;

/** `GET audit/`: who changed what, newest first; `?limit=`, `?subject=` and `?action=` narrow it down. */
export const listAudit = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/audit',
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
    // What the database cannot hold as text is the subject of nothing.
    const narrowed = { subject: query.get('subject') ?? undefined, action: query.get('action') ?? undefined };
    if (Object.values(narrowed).some((text) => text?.includes('\0'))) return { status: 200, body: [] };
    return { status: 200, body: await findAuditEntries(deps.database.em(), { limit, ...narrowed }) };
  },
});
