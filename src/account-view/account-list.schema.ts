import { type Static, Type } from 'typebox';
import {
  answeredChoice,
  answeredInstant,
  answeredText,
  choice,
  day,
  requiredChoice,
  requiredInstant,
  text,
} from '../platform/validation/field-types.schema.ts';
import { importStatuses } from '../vocabulary/account-list.ts';
import { switchStatuses } from '../vocabulary/switch-statuses.ts';

/** The filters of a list of accounts. An empty filter is ignored. Days are in UTC, including the last one. */
export const accountFilterSchema = Type.Object({
  import_supplier: Type.Optional(text(128)),
  status: Type.Optional(choice(importStatuses)),
  switch_status: Type.Optional(choice(switchStatuses)),
  refusal: Type.Optional(text(128)),
  tariff: Type.Optional(text(255)),
  staged_from: Type.Optional(day()),
  staged_to: Type.Optional(day()),
  created_from: Type.Optional(day()),
  created_to: Type.Optional(day()),
});

/** Without empty members. */
export type AccountFilter = { [Name in keyof Static<typeof accountFilterSchema>]?: string | undefined };

/** An account in a list: numbers, codes and timestamps. */
export const listedAccountSchema = Type.Object(
  {
    import_supplier: Type.String(),
    external_account_number: Type.String(),
    service_account_number: answeredText({ description: 'Null until the account is created.', examples: [null] }),
    status: requiredChoice(importStatuses, { examples: ['REFUSED'] }),
    switch_status: answeredChoice(switchStatuses, { description: 'Null until the account is created.' }),
    refusal_codes: Type.Array(Type.String(), {
      description: 'Codes for which the last creation was rejected; `quarantined` if the database rejects the data.',
      examples: [['business_contract_not_found']],
    }),
    staged_at: requiredInstant({ examples: ['2026-11-20T17:00:00Z'] }),
    created_at: answeredInstant({ description: 'Null until the account is created.' }),
  },
  { title: 'ListedAccount' },
);
export type ListedAccount = Static<typeof listedAccountSchema>;
