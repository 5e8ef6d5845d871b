import { isFilterBound } from '../../vocabulary/wire-forms.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';

/** Filters of the audit, combined with "and". */
export interface AuditFilter {
  /** Actor name as in the entry: the person, or `<organisation> / <key>`. */
  actor?: string;
  action?: string;
  subject?: string;
  /** `<import supplier>/<external number>`: all entries about the account. */
  account?: string;
  /** Date or timestamp. */
  from?: string;
  /** Date (inclusive) or timestamp (exclusive). */
  to?: string;
}

/** Actions that change nothing. The index `audit_entry_changes` omits exactly these; lists do until someone asks for them. */
export const ROUTINE_ACTIONS = [
  'account.read',
  'business.read',
  'import_job.results_read',
  'market_messages.received',
  'operations.read',
  'operations.searched',
  'population_batch.accepted',
  'reconciliation.values_read',
  'site.read',
  'supply_point.read',
  'token.ended',
  'token.issued',
  'token.refused',
] as const;

/** Whether an action changes nothing. */
export function isRoutine(action: string): boolean {
  return ROUTINE_ACTIONS.some((one) => one === action);
}

/** Filter names, equal to the query parameters and form fields. */
const AUDIT_FILTERS = ['actor', 'action', 'subject', 'account', 'from', 'to'] as const;

/** Reads the filters of a request. Empty parameters are ignored. */
export function auditFilterIn(query: URLSearchParams): AuditFilter | Violation[] {
  const filter: AuditFilter = {};
  for (const name of AUDIT_FILTERS) {
    const value = query.get(name)?.trim();
    if (value) filter[name] = value;
  }
  const found = (['from', 'to'] as const).flatMap((name) => {
    const value = filter[name];
    const isGood = value === undefined || isFilterBound(value);
    return isGood
      ? []
      : [violation('invalid', [name], 'A day (2026-11-22) or an instant (2026-11-22T08:00:00Z) is expected.')];
  });
  return found.length > 0 ? found : filter;
}

/** Start (inclusive) and end (exclusive) of the filter's period. */
export function boundsOf({ from, to }: AuditFilter): { from?: Date; until?: Date } {
  const until = to === undefined ? undefined : new Date(to);
  if (to?.length === 'YYYY-MM-DD'.length) until?.setUTCDate(until.getUTCDate() + 1);
  return { ...(from === undefined ? {} : { from: new Date(from) }), ...(until === undefined ? {} : { until }) };
}

/** Returns the subjects of the audit entries about an account. */
export function subjectsOfAccount(account: string): string[] {
  const process = `account-import-processes/${account}`;
  return [
    `accounts/${account}`,
    `accounts/${account}/notes`,
    `${process}/skip`,
    `${process}/switch-status`,
    `${process}/supply-point-claim`,
    `${process}/market-messages`,
  ];
}
