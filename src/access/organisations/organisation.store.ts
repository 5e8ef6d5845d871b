import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Organisation } from './organisation.entity.ts';
import type { OrganisationView, PutOrganisation } from './organisation.schema.ts';

/**
 * Changes the options of an organisation. Two at once wait for each other.
 * @returns undefined when there is none of this name
 */
export async function changeOrganisation(
  em: EntityManager,
  name: string,
  change: PutOrganisation,
): Promise<{ before: OrganisationView; after: OrganisationView } | undefined> {
  const organisation = await em.findOne(Organisation, { name }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (organisation === null) return undefined;
  const before = viewOrganisation(organisation);
  organisation.customerAuthorisation = change.customer_authorisation ?? organisation.customerAuthorisation;
  await em.flush();
  return { before, after: viewOrganisation(organisation) };
}

/** One organisation, if there is one of this name. */
export async function findOrganisationByName(em: EntityManager, name: string): Promise<OrganisationView | undefined> {
  const organisation = await em.findOne(Organisation, { name });
  return organisation === null ? undefined : viewOrganisation(organisation);
}

/** All organisations by name. */
export async function findAllOrganisations(em: EntityManager): Promise<OrganisationView[]> {
  return (await em.find(Organisation, {}, { orderBy: { name: 'asc' } })).map(viewOrganisation);
}

function viewOrganisation({ name, customerAuthorisation, createdAt }: Organisation): OrganisationView {
  return { name, customer_authorisation: customerAuthorisation, created_at: createdAt.toISOString() };
}
