import { obtainTokenOperation } from '../access/tokens/obtain-token.openapi.ts';
import { oauthOperations } from '../access/tokens/oauth.openapi.ts';
import { eventWebhook } from '../events/events.openapi.ts';
import type { OpenApiContents } from '../platform/http/route-openapi.ts';

/** What the OpenAPI document contains beside the routes. */
export const besideRoutes: OpenApiContents = {
  operations: [obtainTokenOperation, ...oauthOperations],
  webhooks: { event: eventWebhook },
};
