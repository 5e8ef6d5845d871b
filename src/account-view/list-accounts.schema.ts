import { Type, type Static } from 'typebox';
import { answeredText, requiredChoice, requiredInstant } from '../platform/validation/field-types.schema.ts';
import { importStatuses } from '../vocabulary/account-list.ts';
import { switchStatuses } from '../vocabulary/switch-statuses.ts';
import { membersOf } from '../vocabulary/value-sets.ts';

/** An account as lists show it: numbers, codes and moments. */
export const listedAccountSchema = Type.Object(
  {
    import_supplier: Type.String(),
    external_account_number: Type.String(),
    service_account_number: answeredText({ description: 'Null until it is created.' }),
    status: requiredChoice(importStatuses),
    switch_status: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      enum: [...membersOf(switchStatuses), null],
      description: 'Null until it is created.',
    }),
    refusal_codes: Type.Array(Type.String(), {
      description: 'Why its creation was refused the last time; `quarantined` where the database refuses its data.',
    }),
    staged_at: requiredInstant(),
    created_at: answeredText({ description: 'Null until it is created.', format: 'date-time' }),
  },
  { title: 'ListedAccount' },
);
export type ListedAccount = Static<typeof listedAccountSchema>;
