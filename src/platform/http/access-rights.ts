import { allowsAction } from '../../vocabulary/operator-actions.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { Caller, TokenRoute } from './route.ts';

/** Returns why the role and scope of a key do not permit a route; undefined if they do. */
export function denialOf(route: TokenRoute, { role, scope }: Caller): Refused | undefined {
  if (route.access === 'supplier') return scope === 'all' ? undefined : outOfScope(scope);
  if (role !== 'operator') return refuse('permission_denied');
  return allowsAction(scope, route.action) ? undefined : outOfScope(scope);
}

function outOfScope(scope: string): Refused {
  return refuse('permission_denied', {
    detail: `The scope of this key (${scope}) does not allow the operation. Use a key with another scope.`,
  });
}
