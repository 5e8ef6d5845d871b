import type { Route, SupplierRoute } from './route.ts';

/** Tells whether a route looks at the header Idempotency-Key. */
export function takesKey(route: Pick<Route, 'access' | 'method'>): route is SupplierRoute {
  return route.access === 'supplier' && route.method === 'POST';
}
