import { statementEnds } from '../../statements/statement.rules.ts';
import { listOf, type Loose } from '../../vocabulary/loose-payload.ts';
import type { Path } from '../../vocabulary/violations.ts';
import { warning, type Warning } from '../../vocabulary/warnings.ts';
import type { AccountPayload } from './account-payload.schema.ts';
import { findUnresolvedPreferences } from './payment.rules.ts';

/**
 * Returns the warnings that a valid account payload gives rise to without the database: dropped members, preferences that
 * name no instruction of the account, billing dates in the future.
 * @param account with the warnings of the check
 * @param today the calendar day in France
 */
export function findPayloadWarnings(
  { account, payloadWarnings }: { account: AccountPayload; payloadWarnings: readonly Warning[] },
  today: string,
): Warning[] {
  return [
    ...payloadWarnings,
    ...findUnresolvedPreferences(account).map((path) => warning('payment_preference_unresolved', path)),
    ...findBilledAhead(account, today).map((path) => warning('billed_date_in_future', path)),
  ];
}

/** Days compare as text. */
function findBilledAhead(account: Loose, today: string): Path[] {
  const ends = [
    { day: account['last_billed_to_date'], path: ['last_billed_to_date'] as Path },
    ...statementEnds(listOf(account['statements'])),
  ];
  return ends.filter(({ day }) => typeof day === 'string' && day > today).map(({ path }) => path);
}
