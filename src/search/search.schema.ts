import { Type } from 'typebox';
import { answeredText, requiredChoice } from '../platform/validation/field-types.schema.ts';
import { foundKinds, waysFound, type FoundKind, type WayFound } from '../vocabulary/search.ts';

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
