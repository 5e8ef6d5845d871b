import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { searchResultSchema } from './search.schema.ts';

/** `GET search/`. */
export const searchOpenApi: RouteOpenApi = {
  operationId: 'search',
  tag: 'Operations',
  summary: 'Find an account, a business, a job, a batch or a supply point',
  description:
    'By one of its numbers, and an account also by a name, an e-mail address or a telephone number of its people. The answer holds no personal data. Each search leaves a line in the audit, without what was looked for.',
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
