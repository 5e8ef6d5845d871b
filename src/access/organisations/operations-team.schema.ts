import { Type, type Static } from 'typebox';
import { requiredText, text } from '../../platform/validation/field-types.schema.ts';

/** The name in the path. */
export const teamNameSchema = Type.Object({ name: requiredText(255, 'no-control-characters') });

/** Body of `PUT operations-teams/<name>/`: a team has nothing but its name. */
export const putOperationsTeamSchema = Type.Object({ reason: Type.Optional(text(1_000)) });

export type PutOperationsTeam = Static<typeof putOperationsTeamSchema>;

/** A team as operators see it. */
export interface OperationsTeamView {
  name: string;
  created_at: string;
}
