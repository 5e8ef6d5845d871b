import { operatorRead, type AuthenticatedRequest, type Caller, type Reply, type Route } from './route.ts';
import type { Refused } from '../../vocabulary/refusals.ts';

/**
 * A read for suppliers, who see what is theirs, or the same read for operators, who see everything.
 * @param path below `/v1/data-import/` or `/v1/operations/`
 * @param handle gets the caller as viewer; undefined for operators
 */
export function readRoute(
  access: 'supplier' | 'operator',
  path: string,
  more: Pick<Route, 'openApi' | 'isLong'>,
  handle: (request: AuthenticatedRequest, viewer: Caller | undefined) => Promise<Reply | Refused>,
): Route {
  return access === 'supplier'
    ? {
        ...more,
        method: 'GET',
        path: `/v1/data-import/${path}`,
        access,
        handle: (request) => handle(request, request.caller),
      }
    : operatorRead({ ...more, path: `/v1/operations/${path}`, handle: (request) => handle(request, undefined) });
}
