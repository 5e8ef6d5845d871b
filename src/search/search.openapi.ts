import { Type } from 'typebox';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import { answeredText, requiredChoice } from '../platform/validation/field-types.schema.ts';
import { type FoundKind, type WayFound, foundKinds, waysFound } from '../vocabulary/search.ts';

const found = Type.Object(
  {
    kind: requiredChoice(foundKinds),
    import_supplier: answeredText({ description: 'Null for a supply point or batch without an import supplier.' }),
    id: Type.String({
      description: 'External account number, business or supply point identifier, or id of a job or batch.',
    }),
    service_number: answeredText({
      description: 'Service number of an account or business, or network operator of a supply point; otherwise null.',
    }),
    found_by: requiredChoice(waysFound),
  },
  { title: 'Found' },
);

/** The response of a search. */
export const searchResultSchema = Type.Object(
  {
    results: Type.Array(found),
    complete: Type.Boolean({ description: 'False if there are more results: each kind of search returns at most 50.' }),
  },
  { title: 'SearchResult' },
);

/** A search result, without personal data. */
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
    'Searches by number or id. Accounts are also found by the name, email address or telephone number of a customer, or by a name with a town or postcode. Case, accents, ligatures, apostrophes, hyphens and titles in names are ignored. The response contains no personal data. Each search is audited, without its text.',
  page: 'docs/operators/support-site.md',
  query: {
    q: {
      description: 'The search text, at most 255 characters. An empty text has no results.',
      example: 'HOME-00004711',
      schema: { type: 'string', minLength: 0 },
    },
  },
  replies: {
    200: {
      description: 'The search results.',
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
