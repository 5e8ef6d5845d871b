import { Type, type Static } from 'typebox';
import { answeredText } from '../../platform/validation/field-types.schema.ts';
import { lineOutcomes } from '../../vocabulary/import-jobs.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';

const fault = Type.Object(
  {
    detail: Type.String({ description: 'What is wrong and how to mend it, for people.' }),
    code: Type.String({ description: 'Of a field, of a refusal, or of a line.' }),
    attr: Type.String({ description: 'Path to the input within the line.' }),
  },
  { title: 'LineFault' },
);

/** One line of the results of a job. */
export const resultSchema = Type.Object(
  {
    line: Type.Integer({ description: 'Number of the line, counted from 1 over all parts, blank lines included.' }),
    key: answeredText({ description: 'What the line names its account or business by, if it can be read.' }),
    outcome: Type.Unsafe<string>({ type: 'string', enum: membersOf(lineOutcomes) }),
    number: Type.Optional(
      answeredText({
        description: 'Of a line that succeeded: the service account number, the business id or the reference.',
      }),
    ),
    errors: Type.Optional(Type.Array(fault, { description: 'Of a line that failed: its errors, at most 50.' })),
    errors_omitted: Type.Optional(Type.Integer({ description: 'Errors beyond the 50 in `errors`.' })),
    warnings: Type.Optional(Type.Array(fault, { description: 'Where there are any.' })),
    warnings_omitted: Type.Optional(Type.Integer({ description: 'Warnings beyond the 50 in `warnings`.' })),
    record: Type.Optional(
      Type.Unsafe<unknown>({
        description:
          'Of a line that did not succeed: what was sent, as text where it could not be read. Missing once uploads are deleted, and of a line that was too long.',
      }),
    ),
    record_base64: Type.Optional(
      Type.String({ description: 'The original bytes of a line that is not valid UTF-8, in base64.' }),
    ),
  },
  { title: 'ImportJobResult' },
);

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
