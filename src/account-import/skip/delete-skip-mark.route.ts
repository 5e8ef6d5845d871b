import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { changeMark, SKIP_MARK_PATH } from './change-skip-mark.client.ts';
import { deleteSkipMarkOpenApi } from './skip-mark.openapi.ts';

/** `DELETE account-import-processes/<supplier>/<external>/skip/`: takes the mark away. The body with the reason may be left out. */
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
