import { Type, type Static } from 'typebox';
import { requiredInstant, requiredText, text } from '../../platform/validation/field-types.schema.ts';

/** Name of an organization or a team in the path. */
export const nameSchema = requiredText(255, 'no-control-characters');

/** Body of `PUT organisations/<name>/`. Omitted members keep their value. */
export const putOrganisationSchema = Type.Object({
  customer_authorisation: Type.Optional(Type.Boolean()),
  reason: requiredText(1_000),
});
export type PutOrganisation = Static<typeof putOrganisationSchema>;

/** An organization as shown to operators. */
export const organisationView = Type.Object(
  {
    name: Type.String({ examples: ['Acme'] }),
    customer_authorisation: Type.Boolean({
      description: 'Default of `customer_authorisation` for batches of supply points that do not set it.',
      examples: [true],
    }),
    created_at: requiredInstant({ examples: ['2026-11-02T09:00:00.000Z'] }),
  },
  { title: 'Organisation' },
);
export type OrganisationView = Static<typeof organisationView>;

/** Body of `PUT operations-teams/<name>/`. A team has only a name. */
export const putOperationsTeamSchema = Type.Object({ reason: Type.Optional(text(1_000)) });
export type PutOperationsTeam = Static<typeof putOperationsTeamSchema>;

/** A team as shown to operators. */
export const operationsTeamView = Type.Object(
  {
    name: Type.String({ examples: ['Migration'] }),
    created_at: requiredInstant({ examples: ['2026-11-02T09:00:00.000Z'] }),
  },
  { title: 'OperationsTeam' },
);
export type OperationsTeamView = Static<typeof operationsTeamView>;
