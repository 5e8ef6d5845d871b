import { obtainTokenOperation } from '../access/tokens/obtain-token.openapi.ts';
import { buildOpenApiDocument, type OpenApiDocument } from '../openapi/openapi-document.ts';
import { declaredOperations } from '../openapi/pages.ts';
import { healthRoutes } from '../platform/http/health.route.ts';
import { readSettings } from '../platform/settings.ts';
import { buildRoutes, type RouteDeps } from '../processes/routes.ts';

/** The OpenAPI document as the service publishes it. The routes are not called, so they need no dependencies. */
export function publishedDocument(): OpenApiDocument {
  const routes = [...healthRoutes({} as never), ...buildRoutes({ settings: readSettings({}) } as RouteDeps)];
  return buildOpenApiDocument([obtainTokenOperation, ...declaredOperations(routes)]);
}
