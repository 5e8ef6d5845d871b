import { Type, type Static } from 'typebox';
import { answeredText, requiredChoice, requiredInstant } from '../platform/validation/field-types.schema.ts';
import { foundKinds, waysFound } from '../vocabulary/search.ts';

const found = Type.Object(
  {
    kind: requiredChoice(foundKinds, { examples: ['account'] }),
    import_supplier: answeredText({ description: 'Null for a supply point or batch without an import supplier.' }),
    id: Type.String({
      description: 'External account number, business or supply point identifier, or id of a job, batch or wave.',
      examples: ['HOME-00004711'],
    }),
    service_number: answeredText({
      description: 'Service number of an account or business, or network operator of a supply point; otherwise null.',
      examples: ['A-7KQ2M9XDT'],
    }),
    name: Type.Optional(answeredText({ description: 'Name of a job or wave.', examples: ['Wave 3'] })),
    withdrawn: Type.Optional(
      Type.Object(
        {
          at: requiredInstant(),
          by: Type.String({ examples: ['Migration desk'] }),
          reason: Type.String({ examples: ['The file was of the wrong month.'] }),
        },
        { description: 'Only for the number of an account that was withdrawn.' },
      ),
    ),
    found_by: requiredChoice(waysFound, { examples: ['external_account_number'] }),
  },
  { title: 'Found' },
);
/** A search result, without personal data of customers. */
export type Found = Static<typeof found>;

/** The response of a search. */
export const searchResultSchema = Type.Object(
  {
    results: Type.Array(found),
    complete: Type.Boolean({
      description: 'False if there are more results: each kind of search returns at most 50.',
      examples: [true],
    }),
  },
  { title: 'SearchResult' },
);
export type SearchResult = Static<typeof searchResultSchema>;
