import { Type, type Static } from 'typebox';
import { requiredText } from '../../platform/validation/field-types.schema.ts';

/** The name in the path. */
export const organisationNameSchema = Type.Object({ name: requiredText(255, 'no-control-characters') });

/** Body of `PUT organisations/<name>/`: what is left out stays as it is. */
export const putOrganisationSchema = Type.Object({
  customer_authorisation: Type.Optional(Type.Boolean()),
  reason: requiredText(1_000),
});

export type PutOrganisation = Static<typeof putOrganisationSchema>;

/** An organisation as operators see it. */
export interface OrganisationView {
  name: string;
  /** What holds for its batches of supply points that say nothing of it. */
  customer_authorisation: boolean;
  created_at: string;
}
