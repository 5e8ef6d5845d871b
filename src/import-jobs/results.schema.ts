import { Type, type Static } from 'typebox';
import { answeredInteger, answeredText } from '../platform/validation/field-types.schema.ts';
import { lineOutcomes } from '../vocabulary/import-jobs.ts';
import { membersOf } from '../vocabulary/value-sets.ts';

const fault = Type.Object(
  {
    detail: Type.String({ description: 'The fault and its correction, as text.' }),
    code: Type.String({ description: 'Code of a field, a refusal or a line.' }),
    attr: Type.String({ description: 'Path to the input within the line.' }),
  },
  { title: 'LineFault' },
);

/** One line of the results of a job. */
const resultSchema = Type.Object(
  {
    line: Type.Integer({
      description: 'Number of the line, counted from 1 over all parts, blank lines included.',
      examples: [7],
    }),
    key: answeredText({
      description:
        'The external number of the account, or the external identifier of the business, if the line can be read.',
      examples: ['HOME-00004711'],
    }),
    outcome: Type.Unsafe<string>({ type: 'string', enum: membersOf(lineOutcomes), examples: ['succeeded'] }),
    number: Type.Optional(
      answeredText({
        description: 'If the line succeeded: the service account number, the business id or the reference.',
        examples: ['A-7KQ2M9XDT'],
      }),
    ),
    errors: Type.Optional(Type.Array(fault, { description: 'If the line failed: its errors, at most 50.' })),
    errors_omitted: Type.Optional(Type.Integer({ description: 'Errors beyond the 50 in `errors`.' })),
    warnings: Type.Optional(Type.Array(fault, { description: 'At most 50; omitted if there are none.' })),
    warnings_omitted: Type.Optional(Type.Integer({ description: 'Warnings beyond the 50 in `warnings`.' })),
    record: Type.Optional(
      Type.Unsafe<unknown>({
        description:
          'If the line did not succeed: the line as it was sent, as text if it is not JSON. Omitted once uploads are deleted, and for a line that was too long.',
      }),
    ),
    record_base64: Type.Optional(
      Type.String({ description: 'The original bytes of a line that is not valid UTF-8, in base64.' }),
    ),
  },
  { title: 'ImportJobResult' },
);

/** A line of `form=resend`: the line as sent, with these additional members. */
const resendLine = Type.Object(
  {
    _line: Type.Integer({ description: 'Number of the line.' }),
    _errors: Type.Optional(Type.Array(fault)),
    _warnings: Type.Optional(Type.Array(fault)),
    _record: Type.Optional(Type.String({ description: 'The text of a line that is not a JSON object.' })),
    _record_base64: Type.Optional(Type.String({ description: 'The original bytes of a line that is not UTF-8.' })),
    _key: Type.Optional(Type.String({ description: 'The key, if the line itself was deleted or never uploaded.' })),
  },
  { title: 'LineToSendAgain', additionalProperties: true },
);

/** A line of the results of a job, in either form. */
export const resultLine = Type.Union([resultSchema, resendLine], { title: 'ImportJobLine' });

/** A cause of errors or warnings. */
export const causeSchema = Type.Object(
  {
    code: Type.String({ description: 'Code of a field, a refusal, a warning or a line; each has a page.' }),
    place: Type.String({
      description:
        'Path to the input, with `*` for the index in a list; `non_field_errors` if no field is concerned. `*` alone counts causes beyond the limit.',
    }),
    is_warning: Type.Boolean({ description: 'True for a warning, which does not block the record.' }),
    records: Type.Integer({ description: 'Records with this cause.' }),
    alone: Type.Integer({ description: 'Records with no other error, which are accepted once this one is corrected.' }),
    example: Type.Object({
      line: answeredInteger({ description: 'The first line with this cause; null for staged accounts.' }),
      external_account_number: Type.Optional(
        Type.String({ description: 'For staged accounts: the number of an account with this cause.' }),
      ),
      value: answeredText({ description: 'The value at the place, unless it may be personal data.' }),
    }),
    detail: Type.String({ description: 'The meaning of the code.' }),
    remedy: Type.String({ description: 'The action to take.' }),
    page: Type.String({ format: 'uri-reference', description: 'Path of the page that explains the code.' }),
  },
  {
    title: 'Cause',
    examples: [
      {
        code: 'invalid_prm',
        place: 'supply_addresses.*.supply_points.*.identifier',
        is_warning: false,
        records: 37,
        alone: 35,
        example: { line: 17, value: '2501498736004' },
        detail: 'The PRM is not 14 digits.',
        remedy: 'Send the 14 digits of the PRM as a string, including leading zeros.',
        page: '/docs/codes/invalid_prm/',
      },
    ],
  },
);
export type CauseView = Static<typeof causeSchema>;

/** Response of all operations that list causes. */
export const causesSchema = Type.Object({
  causes: Type.Array(causeSchema, { description: 'Causes that block most records come first, warnings last.' }),
});
