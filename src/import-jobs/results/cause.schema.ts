import { Type, type Static } from 'typebox';
import { answeredText } from '../../platform/validation/field-types.schema.ts';

/** A cause, as jobs and suppliers are told theirs. */
export const causeSchema = Type.Object(
  {
    code: Type.String({ description: 'Of a field, of a refusal, of a warning or of a line; each has a page.' }),
    place: Type.String({
      description:
        'Path to the input, with `*` for the index in a list; `non_field_errors` where it is no field. `*` alone gathers what is over the limit of causes.',
    }),
    is_warning: Type.Boolean({ description: 'It blocks nothing.' }),
    records: Type.Integer({ description: 'Records that it stands in.' }),
    alone: Type.Integer({ description: 'Records that nothing else blocks: mending this lets them through.' }),
    example: Type.Object({
      line: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'The first line that has it; null of staged accounts.',
      }),
      external_account_number: Type.Optional(Type.String({ description: 'Of staged accounts: one that has it.' })),
      value: answeredText({ description: 'What stands there, if it can be no personal data.' }),
    }),
    detail: Type.String({ description: 'What it means.' }),
    remedy: Type.String({ description: 'What to do.' }),
    page: Type.String({ format: 'uri-reference', description: 'Path of the page that explains the code.' }),
  },
  { title: 'Cause' },
);
export type CauseView = Static<typeof causeSchema>;

/** Answer of all operations that list causes. */
export const causesSchema = Type.Object({
  causes: Type.Array(causeSchema, { description: 'What blocks most records first; warnings come last.' }),
});
