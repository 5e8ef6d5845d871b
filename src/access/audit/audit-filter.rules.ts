import { isFilterBound } from '../../vocabulary/wire-forms.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';

/** What entries of the audit are looked for by; all that are given hold at once. */
export interface AuditFilter {
  /** The actor as the audit names it: the person, or `<organisation> / <key>`. */
  actor?: string;
  action?: string;
  subject?: string;
  /** `<import supplier>/<external number>`: all that was done about the account by its number. */
  account?: string;
  /** A day, or an instant. */
  from?: string;
  /** A day, which counts with it, or an instant, which does not. */
  to?: string;
}

/** Names of the filters, as query parameters and fields of the form have them. */
export const AUDIT_FILTERS = ['actor', 'action', 'subject', 'account', 'from', 'to'] as const;

/** Reads the filters of a request; empty parameters do not filter. */
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

/** The first moment that counts, and the first one that does not any more. */
export function boundsOf({ from, to }: AuditFilter): { from?: Date; until?: Date } {
  const until = to === undefined ? undefined : new Date(to);
  if (to?.length === 'YYYY-MM-DD'.length) until?.setUTCDate(until.getUTCDate() + 1);
  return { ...(from === undefined ? {} : { from: new Date(from) }), ...(until === undefined ? {} : { until }) };
}

/** The subjects of audit entries about an account, by its number. */
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
