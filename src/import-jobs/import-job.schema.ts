import { Type, type Static } from 'typebox';
import {
  decimalNumber,
  integer,
  choice,
  requiredChoice,
  requiredText,
  text,
} from '../platform/validation/field-types.schema.ts';
import { importJobGoals, importJobKinds, importJobSelections } from '../vocabulary/import-jobs.ts';

/** Most lines of one job. */
export const LINES_MAX = 1_000_000;

/** An hour of the day in Europe/Paris, as `22:00`. */
const hourOfDay = requiredText(5, 'hour-of-day');
/** Unknown members are rejected: if a misspelled `canary` were ignored, the job would create everything. */
const CLOSED = { additionalProperties: false };

/** Options of a job (docs/suppliers/import-jobs.md). */
export const importJobOptions = Type.Object(
  {
    canary: Type.Optional(integer(1, LINES_MAX)),
    stop_after_failures: Type.Optional(
      Type.Object(
        { count: Type.Optional(integer(1, LINES_MAX)), percent: Type.Optional(decimalNumber(0, 100)) },
        CLOSED,
      ),
    ),
    window: Type.Optional(Type.Object({ from: hourOfDay, to: hourOfDay }, CLOSED)),
    max_per_second: Type.Optional(integer(1, 100_000)),
  },
  CLOSED,
);
export type ImportJobOptions = Static<typeof importJobOptions>;

/** Body of `POST import-jobs/`. */
export const createImportJobSchema = Type.Object(
  {
    import_supplier: requiredText(),
    kind: requiredChoice(importJobKinds),
    goal: requiredChoice(importJobGoals),
    name: Type.Optional(text(200)),
    operations_team_name: Type.Optional(text()),
    selection: Type.Optional(choice(importJobSelections)),
    options: Type.Optional(importJobOptions),
  },
  CLOSED,
);
export type CreateImportJobRequest = Static<typeof createImportJobSchema>;

/** Body of an operator's pause or cancel. */
export const steeringReasonSchema = Type.Object({ reason: requiredText() });
export type SteeringReason = Static<typeof steeringReasonSchema>;
