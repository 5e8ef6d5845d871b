import { Type } from 'typebox';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { answeredText, requiredChoice } from '../platform/validation/field-types.schema.ts';
import { type FoundKind, type WayFound, foundKinds, waysFound } from '../vocabulary/search.ts';

const found = Type.Object(
  {
    kind: requiredChoice(foundKinds),
    import_supplier: answeredText({ description: 'Null where it belongs to none.' }),
    id: Type.String({
      description: 'External number of an account, identifier of a business or point, id of a job or batch.',
    }),
    service_number: answeredText({
      description: 'Our number of an account or business, network operator of a point; null where there is none.',
    }),
    found_by: requiredChoice(waysFound),
  },
  { title: 'Found' },
);

/** What a search answers. */
export const searchResultSchema = Type.Object(
  {
    results: Type.Array(found),
    complete: Type.Boolean({ description: 'False where one way of looking found more than 50.' }),
  },
  { title: 'SearchResult' },
);

/** One thing that was found, without personal data. */
export interface Found {
  kind: FoundKind;
  import_supplier: string | null;
  id: string;
  service_number: string | null;
  found_by: WayFound;
}

export interface SearchResult {
  results: Found[];
  complete: boolean;
}

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
