import type { StuckView } from '../../stuck/stuck.schema.ts';
import { tableOf } from '../../vocabulary/table.ts';

/** What to do where the operator API names a call of its own; here a page does it. */
const ADVICE = tableOf({
  market_message_fits_nothing:
    'A message may be missing: once it comes, this one is applied by itself. Else open it and dismiss it, or set the switch by hand on the page of the account.',
  market_message_unknown_account:
    'If the account is created later, the message is applied by itself then. Else open it, and assign it to the right account or dismiss it.',
  market_message_unknown_point:
    'The account has no such supply point: tell the network operator, then open the message, and assign it to the right point or dismiss it.',
  receiver_unreachable:
    'Tell the supplier, or open the address and remove it. It is tried again by itself; a retry tries at once.',
});

/** What a person can do about it on this site. */
export function adviceOnSite({ cause, what_to_do: advice }: Pick<StuckView, 'cause' | 'what_to_do'>): string {
  return ADVICE.get(cause) ?? advice;
}
