import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { searchResultSchema } from './search.schema.ts';

/** `GET search/`. */
export const searchOpenApi: RouteOpenApi = {
  operationId: 'search',
  tag: 'Operations',
  summary: 'Find an account, a business, a job, a batch or a supply point',
  description:
    'By one of its numbers. An account also by a name, an e-mail address or a telephone number of its people, or by a name with a town or postcode. Case, accents, ligatures, apostrophes, hyphens and titles in names are ignored. The response contains no personal data. Each search is recorded in the audit, without the search text.',
  page: 'docs/operators/support-site.md',
  query: {
    q: {
      description: 'The text to find, up to 255 characters. An empty one finds nothing.',
      example: 'HOME-00004711',
      schema: { type: 'string', minLength: 0 },
    },
  },
  replies: {
    200: {
      description: 'What was found.',
      schema: searchResultSchema,
      example: {
        results: [
          {
            kind: 'account',
            import_supplier: 'SUPPLIER_FR',
            id: 'HOME-00004711',
            service_number: 'A-7KQ2M9XDT',
            found_by: 'external_account_number',
          },
        ],
        complete: true,
      },
    },
  },
  refusals: [],
};
