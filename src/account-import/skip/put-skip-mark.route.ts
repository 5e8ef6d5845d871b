import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { changeMark, SKIP_MARK_PATH } from './change-skip-mark.client.ts';
import { putSkipMarkOpenApi } from './skip-mark.openapi.ts';

/** `PUT account-import-processes/<supplier>/<external>/skip/`: marks an account to skip; it can then be neither staged nor created. */
export const putSkipMark = (deps: { database: Database }): Route => ({
  method: 'PUT',
  path: SKIP_MARK_PATH,
  access: 'operator',
  action: 'account.change',
  openApi: putSkipMarkOpenApi,
  bodyLimitBytes: 16_384,
  handle: (request) => changeMark(deps, request, 'skip_mark.set'),
});
