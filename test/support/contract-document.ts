import { obtainTokenOperation } from '../../src/access/access.contract.ts';
import { declaredOperations } from '../../src/contract/contract-pages.ts';
import { buildOpenApiDocument, type OpenApiDocument } from '../../src/contract/openapi-document.ts';
import { healthRoutes } from '../../src/platform/http/health.route.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { buildRoutes, type RouteDeps } from '../../src/platform/http/routes.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { contractCheckOf, type ContractCheck } from './contract-check.ts';

/** Every route of the service; none of them can be called, what they need is not there. */
export function allRoutes(): Route[] {
  return [...healthRoutes({} as never), ...buildRoutes({ settings: readSettings({}) } as RouteDeps)];
}

/** The contract as the service publishes it. */
export function contractDocument(): OpenApiDocument {
  return buildOpenApiDocument([obtainTokenOperation, ...declaredOperations(allRoutes())]);
}

let check: ContractCheck | undefined;

/** Throws if an answer does not keep to the contract; paths that it does not have are let through. */
export function holdAgainstContract(...answered: Parameters<ContractCheck>): void {
  check ??= contractCheckOf(contractDocument());
  check(...answered);
}
