import { recordAudit } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse } from '../vocabulary/refusals.ts';
import { DISMISSED_EFFECT, dismissalSchema, type Dismissal } from './market-message.schema.ts';
import { dismissMessage as dismissMessageInDatabase } from './market-message.store.ts';
import { dismissMessageOpenApi } from './switching.openapi.ts';

const checkBody = compileOperatorBody<Dismissal>(dismissalSchema);

/**
 * `DELETE market-messages/<id>/`: dismisses a message that fits nothing, for a reason. It stays stored, and neither
 * waits nor counts any more.
 */
export const dismissMessage = (deps: { database: Database }): Route => ({
  method: 'DELETE',
  path: '/v1/operations/market-messages/:id',
  access: 'operator',
  action: 'change',
  openApi: dismissMessageOpenApi,
  bodyLimitBytes: 16_384,
  handle: async ({ params, body, caller }) => {
    const sent = checkBody(body ?? {});
    if (isRefused(sent)) return sent;
    const id = params['id'] ?? '';
    const isDone =
      !id.includes('\0') &&
      (await deps.database.transaction(async (em) => {
        const found = await dismissMessageInDatabase(em, id);
        if (found) {
          await recordAudit(em, caller, {
            action: 'market_message.set_aside',
            subject: `market-messages/${id}`,
            reason: sent.reason,
          });
        }
        return found;
      }));
    return isDone
      ? { status: 200, body: { message_id: id, effect: DISMISSED_EFFECT } }
      : refuse('not_found', {
          detail:
            'No message with this id waits for anything. What fits nothing is listed by GET /v1/operations/stuck/.',
        });
  },
});
