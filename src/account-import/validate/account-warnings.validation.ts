import { findDroppedMembers } from '../../platform/validation/dropped-members.ts';
import type { SchemaNode } from '../../platform/validation/schema-node.ts';
import { statementEnds } from '../../statements/statement.rules.ts';
import { membersOfResults } from '../../vocabulary/import-jobs.ts';
import { listOf, type Loose } from '../../vocabulary/loose-payload.ts';
import type { Path } from '../../vocabulary/violations.ts';
import { warning, type Warning } from '../../vocabulary/warnings.ts';
import { accountPayloadSchema, type AccountPayload } from './account-payload.schema.ts';
import { findUnresolvedPreferences } from './payment.rules.ts';

/**
 * What a valid account payload itself gives reason to warn of: members that were dropped, preferences that name no
 * instruction of the account, days in the future up to which was billed.
 * @param sent the payload before it was cleaned
 * @param today the calendar day in France
 */
export function findPayloadWarnings(
  sent: unknown,
  { account, hasDropped }: { account: AccountPayload; hasDropped: boolean },
  today: string,
): Warning[] {
  const dropped = hasDropped ? findDroppedMembers(sent, accountPayloadSchema as SchemaNode, membersOfResults) : [];
  return [
    ...dropped,
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
