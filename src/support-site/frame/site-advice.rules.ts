import type { StuckView } from '../../stuck/stuck.schema.ts';
import type { Words } from '../../vocabulary/french-site.ts';
import { tableOf } from '../../foundation/table.ts';
import type { PageRequest } from './page.ts';

/** Advice for causes that a page resolves; the advice of the API names an operation instead. */
const ADVICE = tableOf({
  supply_point_on_another_account: 'Open the claim, compare the accounts and decide which one keeps the supply point.',
  market_message_fits_nothing:
    'A message may be missing: when it arrives, this one is applied automatically. Otherwise open it and dismiss it, or set the switch manually on the page of the account.',
  market_message_unknown_account:
    'If the account is created later, the message is applied automatically. Otherwise open it, and assign it to the right account or dismiss it.',
  market_message_unknown_point:
    'The account has no such supply point: notify the network operator, then open the message, and assign it to the right point or dismiss it.',
  receiver_unreachable:
    'Notify the supplier, or open the endpoint and remove it. Deliveries are retried automatically; a retry starts one immediately.',
});

/** Advice for a stuck item. */
export function adviceOnSite({ cause, what_to_do: advice }: Pick<StuckView, 'cause' | 'what_to_do'>): string {
  return ADVICE.get(cause) ?? advice;
}

/** Whether a retry can help. A claim needs the decision of an operator instead. */
export function mayBeRetried({ cause }: Pick<StuckView, 'cause'>): boolean {
  return cause !== 'supply_point_on_another_account';
}

const ADVICE_ON_FAULT = tableOf<Words>({
  quarantined:
    'The database rejects the data. Ask the supplier to stage corrected data, or skip the account. Attempts continue automatically.',
  supply_point_on_another_account: 'Compare the accounts and decide which one keeps the supply point.',
  payment_instruction_on_another_account: 'Ask the suppliers which account the instruction belongs to.',
  payment_instruction_in_use: 'Ask the suppliers which account the instruction belongs to.',
});

/** Where no code has advice of its own. */
export function forwardAdvice({ viewer }: Reader): Words {
  return viewer === undefined
    ? 'The supplier must correct rejected data. The page of each code has advice that you can forward.'
    : 'Correct the rejected data. The page of each code says how.';
}

/** What an operator can do about a rejection or a warning; undefined if only the supplier can correct it, and for people of suppliers. */
export function adviceOnFault(code: string, { viewer }: Reader): Words | undefined {
  return viewer === undefined ? ADVICE_ON_FAULT.get(code) : undefined;
}

/** The person who reads an advice. People of import suppliers have a viewer. */
type Reader = Pick<PageRequest, 'viewer'>;
