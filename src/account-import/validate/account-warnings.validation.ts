import { isScientific } from '../../vocabulary/spreadsheet-damage.ts';
import { statementEnds } from '../../statements/statement.rules.ts';
import { listOf, type Loose } from '../../vocabulary/loose-payload.ts';
import type { Path } from '../../vocabulary/violations.ts';
import { warning, type Warning } from '../../vocabulary/warnings.ts';
import type { AccountPayload } from '../../accounts/account-payload.schema.ts';
import { findUnresolvedPreferences } from './payment.rules.ts';

/**
 * Returns the warnings about a valid account payload that need no database: dropped members, possible spreadsheet damage, preferences
 * without a matching instruction, billing dates in the future.
 * @param account with the warnings of its validation
 * @param today the calendar day in France
 */
export function findPayloadWarnings(
  { account, payloadWarnings }: { account: AccountPayload; payloadWarnings: readonly Warning[] },
  today: string,
): Warning[] {
  return [
    ...payloadWarnings,
    ...findSpreadsheetDamage(account),
    ...findUnresolvedPreferences(account).map((path) => warning('payment_preference_unresolved', path)),
    ...findBilledAhead(account, today).map((path) => warning('billed_date_in_future', path)),
  ];
}

/** French postcodes that a spreadsheet has changed, and phone numbers without their leading zero. */
function findSpreadsheetDamage(account: AccountPayload): Warning[] {
  const found: Warning[] = [];
  const warn = (path: Path, detail: string) => found.push(warning('possible_spreadsheet_damage', path, detail));
  const checkPostcode = (postcode: string | undefined, path: Path) => {
    const [, digits, decimals] = /^(\d{4,5})([.,]0+)?$/.exec(postcode ?? '') ?? [];
    if (digits?.length === 4) warn(path, 'A French postcode has five digits; a leading zero may be missing.');
    else if (decimals !== undefined) warn(path, 'A French postcode has five digits and no decimal places.');
    else if (isScientific(postcode ?? '')) warn(path, 'It is in scientific notation; send all its digits as text.');
  };
  checkPostcode(account.billing_postcode, ['billing_postcode']);
  for (const [index, { supply_postcode: postcode }] of account.supply_addresses?.entries() ?? []) {
    checkPostcode(postcode, ['supply_addresses', index, 'supply_postcode']);
  }
  for (const [index, customer] of account.customers?.entries() ?? []) {
    for (const field of ['mobile', 'landline'] as const) {
      if (/^[1-9]\d{8}$/.test(customer[field] ?? '')) {
        warn(['customers', index, field], `The leading zero is missing; the number was read as 0${customer[field]}.`);
      }
    }
  }
  return found;
}

/** Dates are strings that sort by time. */
function findBilledAhead(account: Loose, today: string): Path[] {
  const ends = [
    { day: account['last_billed_to_date'], path: ['last_billed_to_date'] as Path },
    ...statementEnds(listOf(account['statements'])),
  ];
  return ends.filter(({ day }) => typeof day === 'string' && day > today).map(({ path }) => path);
}
