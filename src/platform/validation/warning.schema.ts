import { Type } from 'typebox';
import { warningSentences } from '../../vocabulary/warnings.ts';

/** `warnings` of a response: accepted input that should be checked. */
export const warningsMember = Type.Array(
  Type.Object(
    {
      detail: Type.String({ description: 'For people. Wording may change; do not parse it.' }),
      code: Type.Unsafe<string>({
        type: 'string',
        minLength: 1,
        enum: Object.keys(warningSentences),
        description: 'Stable, for machines; each has a page under /docs/codes/.',
      }),
      attr: Type.String({ description: 'Dot-separated path to the input, as in errors.' }),
    },
    { title: 'Warning' },
  ),
  { description: 'Accepted input that you should check. Warnings do not block the request.' },
);
