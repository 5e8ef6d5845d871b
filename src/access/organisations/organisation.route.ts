import { LockMode } from '@mikro-orm/core';
import { defineResource } from '../../platform/http/resource-routes.ts';
import { recordAudit } from '../audit/audit-entry.store.ts';
import { OperationsTeam, Organisation, type OperationsTeamTable } from './organisation.entity.ts';
import {
  nameSchema,
  operationsTeamView,
  organisationView,
  putOperationsTeamSchema,
  putOrganisationSchema,
  type OperationsTeamView,
  type OrganisationView,
  type PutOperationsTeam,
  type PutOrganisation,
} from './organisation.schema.ts';

/** `organisations/<name>/`: options of organizations. An organization is created with its first API key. */
export const organisations = defineResource<typeof organisationView, PutOrganisation>({
  name: 'Organisation',
  path: 'organisations',
  key: { name: 'name', schema: nameSchema, description: 'Name of the organization.', example: 'Acme' },
  unknown: 'There is no organization with this name. An organization is created with its first API key.',
  view: organisationView,
  page: 'docs/operators/suppliers-and-options.md#the-customers-authorization',
  put: {
    summary: 'Set the options of an organization',
    action: 'organisation.change',
    body: putOrganisationSchema,
    examples: { authorised: { customer_authorisation: true, reason: 'Mandates checked on 12 May' } },
    changed: 'The organization.',
  },
  find: { summary: 'Read an organization', reply: 'The organization.' },
  list: { summary: 'List all organizations', reply: 'All organizations, by name.' },
  auditNoun: 'organisation',
  recordAudit,
  one: async (em, name) => {
    const organisation = await em.findOne(Organisation, { name });
    return organisation === null ? undefined : viewOrganisation(organisation);
  },
  all: async (em) => (await em.find(Organisation, {}, { orderBy: { name: 'asc' } })).map(viewOrganisation),
  change: async (em, name, sent) => {
    const organisation = await em.findOne(Organisation, { name }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (organisation === null) return undefined;
    const before = viewOrganisation(organisation);
    organisation.customerAuthorisation = sent.customer_authorisation ?? organisation.customerAuthorisation;
    await em.flush();
    return { before, after: viewOrganisation(organisation) };
  },
});

/** `operations-teams/<name>/`: teams that creation requests may refer to. */
export const operationsTeams = defineResource<typeof operationsTeamView, PutOperationsTeam>({
  name: 'OperationsTeam',
  path: 'operations-teams',
  key: { name: 'name', schema: nameSchema, description: 'Name of the team.', example: 'Migration' },
  unknown: 'There is no operations team with this name.',
  view: operationsTeamView,
  put: {
    summary: 'Create an operations team',
    action: 'operations-team.change',
    body: putOperationsTeamSchema,
    examples: { team: { reason: 'Spring campaign' } },
    changed: 'The team existed already.',
    created: 'The team is created.',
  },
  find: { summary: 'Read a team', reply: 'The team.' },
  list: { summary: 'List the teams', reply: 'All teams, by name.' },
  auditNoun: 'operations_team',
  recordAudit,
  one: async (em, name) => {
    const team = await em.findOne(OperationsTeam, { name });
    return team === null ? undefined : viewTeam(team);
  },
  all: async (em) => (await em.find(OperationsTeam, {}, { orderBy: { name: 'asc' } })).map(viewTeam),
  change: async (em, name) => {
    const inserted = await em
      .getKysely<OperationsTeamTable>()
      .insertInto('operations_team')
      .values({ name })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returning('name')
      .executeTakeFirst();
    const after = viewTeam(await em.findOneOrFail(OperationsTeam, { name }));
    return inserted === undefined ? { before: after, after } : { created: true, after };
  },
});

function viewOrganisation({ name, customerAuthorisation, createdAt }: Organisation): OrganisationView {
  return { name, customer_authorisation: customerAuthorisation, created_at: createdAt.toISOString() };
}

function viewTeam({ name, createdAt }: OperationsTeam): OperationsTeamView {
  return { name, created_at: createdAt.toISOString() };
}
