import type { Database } from '../platform/database/database.ts';
import { operatorRead, replyWith, type Route } from '../platform/http/route.ts';
import { searchResultSchema } from './search.schema.ts';
import { findAnything } from './search.store.ts';

/** `GET search/?q=`: searches by number, address or name. */
export const search = (deps: { database: Database }): Route =>
  operatorRead({
    path: '/v1/operations/search',
    openApi: {
      operationId: 'search',
      summary: 'Find an account, a business, a job, a wave, a batch or a supply point',
      description:
        'Searches by number or id. Accounts are also found by the name, email address or telephone number of a customer, or by a name with words of the address in any order; or by the reference of a mandate. Businesses are also found by words of their name, in any order. Jobs and waves are also found by the beginning of their name, and market messages by their id. Case, accents, ligatures, apostrophes, hyphens and titles in names are ignored. The response contains no personal data. Each search is audited, without its text.',
      page: 'docs/operators/support-site.md',
      query: {
        q: {
          description: 'The search text, at most 255 characters. An empty text has no results.',
          example: 'HOME-00004711',
          schema: { type: 'string', minLength: 0 },
        },
      },
      replies: { 200: { description: 'The search results.', schema: searchResultSchema } },
    },
    handle: async ({ query, caller }) => {
      const { results, complete, tooManyOfName } = await findAnything(deps.database, caller, query.get('q') ?? '');
      return replyWith({ results, complete: complete && !tooManyOfName });
    },
  });
