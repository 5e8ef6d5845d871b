import { buildOpenApiDocument, type Audience, type OpenApiDocument } from '../openapi/openapi-document.ts';
import { openApiContents } from '../openapi/pages.ts';
import { healthRoutes } from '../platform/http/health.route.ts';
import { readSettings } from '../platform/settings.ts';
import { besideRoutes, buildRoutes, type RouteDeps } from '../processes/routes.ts';

/**
 * The OpenAPI document as the service publishes it. The routes are not called, so they need no dependencies.
 * @param audience omit it for the whole document
 */
export function publishedDocument(audience?: Audience): OpenApiDocument {
  const routes = [...healthRoutes({} as never), ...buildRoutes({ settings: readSettings({}) } as RouteDeps)];
  return buildOpenApiDocument(openApiContents(routes, besideRoutes), audience);
}
