import { Type, type Static } from 'typebox';
import { choice, day, text } from '../platform/validation/field-types.schema.ts';
import { importStatuses } from '../vocabulary/account-list.ts';
import { switchStatuses } from '../vocabulary/switch-statuses.ts';

/** What a list of accounts is narrowed down to; empty is the same as absent. Days are those of UTC, the last one whole. */
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
