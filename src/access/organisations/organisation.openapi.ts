import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { requiredInstant } from '../../platform/validation/field-types.schema.ts';
import { putOrganisationSchema } from './organisation.schema.ts';

const organisationView = Type.Object(
  {
    name: Type.String(),
    customer_authorisation: Type.Boolean({
      description: 'What holds for its batches of supply points that say nothing of it.',
    }),
    created_at: requiredInstant(),
  },
  { title: 'Organisation' },
);
const organisationExample = { name: 'Acme', customer_authorisation: true, created_at: '2026-11-02T09:00:00.000Z' };
const organisationPath = { name: { description: 'Name of the organisation.', example: 'Acme' } };
const PAGE = 'docs/operators/suppliers-and-options.md#the-customers-authorization';

/** `PUT organisations/<name>/`. */
export const putOrganisationOpenApi: RouteOpenApi = {
  operationId: 'putOrganisation',
  tag: 'Operations',
  summary: 'Set the options of an organisation',
  page: PAGE,
  path: organisationPath,
  request: putOrganisationSchema,
  requestExamples: { authorised: { customer_authorisation: true, reason: 'Mandates checked on 12 May' } },
  replies: {
    200: { description: 'The organisation as it stands.', schema: organisationView, example: organisationExample },
  },
  refusals: ['validation_failed', 'not_found'],
};

/** `GET organisations/<name>/`. */
export const findOrganisationOpenApi: RouteOpenApi = {
  operationId: 'findOrganisation',
  tag: 'Operations',
  summary: 'See an organisation',
  page: PAGE,
  path: organisationPath,
  replies: { 200: { description: 'The organisation.', schema: organisationView, example: organisationExample } },
  refusals: ['not_found'],
};

/** `GET organisations/`. */
export const listOrganisationsOpenApi: RouteOpenApi = {
  operationId: 'listOrganisations',
  tag: 'Operations',
  summary: 'See all organisations',
  page: PAGE,
  replies: {
    200: {
      description: 'All organisations, by name.',
      schema: Type.Array(organisationView),
      example: [organisationExample],
    },
  },
  refusals: [],
};
