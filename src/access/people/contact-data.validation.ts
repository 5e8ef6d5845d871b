import { readFlag, flagParameter } from '../../platform/http/query-parameters.ts';
import type { AuthenticatedRequest } from '../../platform/http/route.ts';
import { allowsAction } from '../../vocabulary/operator-actions.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { ParameterOpenApi } from '../../platform/http/route-openapi.ts';

/** How a caller reads objects with contact data. */
export interface ContactDataRead {
  /** The caller's role or scope shows contact data without `reveal`. */
  isOpen: boolean;
  /** The caller requested contact data, which gets a separate audit entry. */
  isRevealed: boolean;
}

/** Returns how a request of the operator API reads contact data, or a refusal if `reveal` is not a boolean. */
export function contactDataReadOf({
  caller,
  query,
}: Pick<AuthenticatedRequest, 'caller' | 'query'>): ContactDataRead | Refused {
  const isRevealed = readFlag(query, 'reveal', false);
  if (typeof isRevealed !== 'boolean') return refuse('validation_failed', { violations: [isRevealed] });
  return { isOpen: allowsAction(caller.scope, 'contact-data.see'), isRevealed };
}

/** Query parameter that requests contact data. */
export const revealQuery: { reveal: ParameterOpenApi } = {
  reveal: flagParameter(
    'True to include contact data for a key with the scope `read`, which otherwise receives `•••`. Such a read is audited separately.',
    false,
  ),
};
