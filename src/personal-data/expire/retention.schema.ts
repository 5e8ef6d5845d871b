import { Type, type Static } from 'typebox';
import { requiredChoice } from '../../platform/validation/field-types.schema.ts';
import { retentionClasses } from '../../vocabulary/retention-classes.ts';

/** The retention as operators see it. */
export const retentionSchema = Type.Object(
  {
    from_hour: Type.Integer({ description: 'Of the night, in France.' }),
    until_hour: Type.Integer(),
    classes: Type.Array(
      Type.Object({
        class: requiredChoice(retentionClasses),
        setting: Type.String({ description: 'Name of the setting that says how long it is kept.' }),
        kept_days: Type.Integer(),
        deleted: Type.Integer({ description: 'By all runs.' }),
        deleted_by_run: Type.Integer({ description: 'By the run under way, or the last one.' }),
        began_at: Type.String({ format: 'date-time', minLength: 1, description: 'When that run began.' }),
        completed_at: Type.String({
          format: 'date-time',
          minLength: 1,
          description: 'When nothing more was due; before `began_at` while something is left.',
        }),
      }),
    ),
    last_run: Type.Unsafe<{ ended_at: string; state: string } | null>({
      type: ['object', 'null'],
      required: ['ended_at', 'state'],
      properties: {
        ended_at: { type: 'string', format: 'date-time' },
        state: { type: 'string', description: 'COMPLETED, NIGHT_OVER where the next night goes on, or CANCELLED.' },
      },
      description: 'Null before the first night.',
    }),
  },
  { title: 'Retention' },
);

export type RetentionView = Static<typeof retentionSchema>;
