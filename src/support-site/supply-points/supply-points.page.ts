import { temporalLookupRuns } from '../../supply-points/index.ts';
import type { Page, SiteDeps } from '../frame/page.ts';
import { batchPages } from './batch.page.ts';
import { overviewPages } from './speeds-and-batches.page.ts';
import { pointPages } from './point.page.ts';
import { deferredPages } from './deferred.page.ts';
import { throttlePages } from './throttle.page.ts';

/** Batches of supply points, the speed of network operators, what they fail on, and single points. */
export function supplyPointPages(deps: SiteDeps): Page[] {
  const steering = { ...deps, runs: temporalLookupRuns(deps) };
  return [
    ...overviewPages(deps),
    ...batchPages(steering),
    ...throttlePages(steering),
    ...deferredPages(steering),
    ...pointPages(steering),
  ];
}
