import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { isRefused, refuse } from '../vocabulary/refusals.ts';
import { findMessage as findMessageInDatabase } from './find-message.store.ts';
import { listMessages as list } from './list-messages.client.ts';
import { findMessageOpenApi, listMessagesOpenApi } from './market-message.openapi.ts';

/** `GET market-messages/`: unmatched messages, oldest first. */
export const listMessages = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/market-messages',
  access: 'operator',
  action: 'look',
  openApi: listMessagesOpenApi,
  handle: async ({ query }) => {
    const found = await list(deps.database, query);
    return isRefused(found) ? found : { status: 200, body: found };
  },
});

/** `GET market-messages/<id>/`: one message with its effect. */
export const findMessage = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/market-messages/:id',
  access: 'operator',
  action: 'look',
  openApi: findMessageOpenApi,
  handle: async ({ params }) => {
    const found = await findMessageInDatabase(deps.database, params['id'] ?? '');
    return found === undefined ? unknownMessage() : { status: 200, body: found };
  },
});

const unknownMessage = () => refuse('not_found', { detail: 'No message is stored under this id.' });
