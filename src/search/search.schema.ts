import { Type } from 'typebox';
import { answeredText } from '../platform/validation/field-types.schema.ts';

const kinds = ['account', 'business', 'import_job', 'population_batch', 'supply_point'] as const;
const waysFound = [
  'external_account_number',
  'external_business_identifier',
  'service_account_number',
  'service_business_id',
  'import_job_id',
  'population_batch_id',
  'supply_point_identifier',
  'email',
  'phone',
  'name',
] as const;

const found = Type.Object(
  {
    kind: Type.Unsafe<(typeof kinds)[number]>({ type: 'string', enum: [...kinds] }),
    import_supplier: answeredText({ description: 'Null where it belongs to none.' }),
    id: Type.String({
      description: 'External number of an account, identifier of a business or point, id of a job or batch.',
    }),
    service_number: answeredText({
      description: 'Our number of an account or business, network operator of a point; null where there is none.',
    }),
    found_by: Type.Unsafe<(typeof waysFound)[number]>({ type: 'string', enum: [...waysFound] }),
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
  kind: (typeof kinds)[number];
  import_supplier: string | null;
  id: string;
  service_number: string | null;
  found_by: (typeof waysFound)[number];
}

export interface SearchResult {
  results: Found[];
  complete: boolean;
}
