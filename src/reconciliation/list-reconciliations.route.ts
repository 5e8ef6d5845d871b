import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { isUuid } from '../vocabulary/wire-forms.ts';
import { violation } from '../vocabulary/violations.ts';
import { listReconciliations } from './reconciliation.store.ts';
import { viewOfReconciliation, type ReconciliationView } from './reconciliation-view.rules.ts';
import { listReconciliationsOpenApi } from './reconciliations.openapi.ts';
import { findTotals } from './totals.store.ts';

const PATH = '/v1/operations/reconciliations';
const PAGE_SIZE = 50;

interface ListDeps {
  database: Database;
  clock: Clock;
}

/** `GET reconciliations/` of operators: those of all import suppliers, newest first. */
export const listReconciliationsForOperator = (deps: ListDeps): Route => ({
  method: 'GET',
  path: PATH,
  access: 'operator',
  action: 'look',
  openApi: listReconciliationsOpenApi,
  handle: async ({ query }) => {
    const page = await readReconciliations(deps, query);
    if (isRefused(page)) return page;
    const headers: Record<string, string> =
      page.next === undefined ? {} : { link: `<${PATH}/?${page.next}>; rel="next"` };
    return { status: 200, body: page.reconciliations, headers };
  },
});

/** A page of reconciliations, and the query of the next one, if there is one. */
export interface ReconciliationPage {
  reconciliations: ReconciliationView[];
  next: URLSearchParams | undefined;
}

/** Reads a page by a query: `import_supplier` and `before`. @returns a refusal of a `before` that is none */
export async function readReconciliations(
  { database, clock }: ListDeps,
  query: URLSearchParams,
): Promise<ReconciliationPage | Refused> {
  const supplier = query.get('import_supplier') || undefined;
  const before = query.get('before') || undefined;
  if (before !== undefined && !isUuid(before)) {
    const detail = 'Take the reconciliation_id of the last one of the page before.';
    return refuse('validation_failed', { violations: [violation('invalid', ['before'], detail)] });
  }
  // What the database cannot hold as text is the code of none.
  if (supplier?.includes('\0')) return { reconciliations: [], next: undefined };
  const found = await listReconciliations(database, supplier, before, PAGE_SIZE + 1);
  const shown = found.slice(0, PAGE_SIZE);
  const totals = await findTotals(database, shown);
  const last = found.length > PAGE_SIZE ? shown.at(-1) : undefined;
  return {
    reconciliations: shown.map((record) => viewOfReconciliation(record, totals.get(record.id), clock.now())),
    next: last && new URLSearchParams({ ...(supplier && { import_supplier: supplier }), before: last.id }),
  };
}
