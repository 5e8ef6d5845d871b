import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { changeMark, SKIP_MARK_PATH } from './change-skip-mark.client.ts';
import { deleteSkipMarkOpenApi } from './skip-mark.openapi.ts';

/** `DELETE account-import-processes/<supplier>/<external>/skip/`: removes the mark. The body with the reason is optional. */
export const deleteSkipMark = (deps: { database: Database }): Route => ({
  method: 'DELETE',
  path: SKIP_MARK_PATH,
  access: 'operator',
  action: 'account.change',
  openApi: deleteSkipMarkOpenApi,
  bodyLimitBytes: 16_384,
  bodyIsOptional: true,
  handle: (request) => changeMark(deps, request, 'skip_mark.removed'),
});
