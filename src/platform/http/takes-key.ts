import type { Route, SupplierRoute } from './route.ts';

/** Returns whether a route supports the Idempotency-Key header. */
export function takesKey(route: Pick<Route, 'access' | 'method'>): route is SupplierRoute {
  return route.access === 'supplier' && route.method === 'POST';
}
