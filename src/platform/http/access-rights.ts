import { allowsAction } from '../../vocabulary/operator-actions.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { Caller, TokenRoute } from './route.ts';

/** Why a caller may not call a route, by the role and the scope of the key; undefined when it may. */
export function denialOf(route: TokenRoute, { role, scope }: Caller): Refused | undefined {
  if (route.access === 'supplier') return scope === 'all' ? undefined : outOfScope(scope);
  if (role !== 'operator') return refuse('permission_denied');
  return allowsAction(scope, route.action) ? undefined : outOfScope(scope);
}

function outOfScope(scope: string): Refused {
  return refuse('permission_denied', {
    detail: `The scope of this key (${scope}) does not allow the operation; use a key with another scope.`,
  });
}
