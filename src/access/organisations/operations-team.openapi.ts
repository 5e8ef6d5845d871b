import { Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { requiredInstant } from '../../platform/validation/field-types.schema.ts';
import { putOperationsTeamSchema } from './operations-team.schema.ts';

const teamView = Type.Object({ name: Type.String(), created_at: requiredInstant() }, { title: 'OperationsTeam' });
const teamExample = { name: 'Migration', created_at: '2026-11-02T09:00:00.000Z' };
const teamPath = { name: { description: 'Name of the team.', example: 'Migration' } };

/** `PUT operations-teams/<name>/`. */
export const putOperationsTeamOpenApi: RouteOpenApi = {
  operationId: 'putOperationsTeam',
  tag: 'Operations',
  summary: 'Make a team that creations may name',
  path: {
    name: {
      ...teamPath.name,
      violations: ['blank', 'max_length', 'invalid', 'null_characters_not_allowed', 'surrogate_characters_not_allowed'],
    },
  },
  request: putOperationsTeamSchema,
  requestExamples: { team: { reason: 'Spring campaign' } },
  replies: {
    200: { description: 'The team was there.', schema: teamView, example: teamExample },
    201: { description: 'The team is made.', schema: teamView, example: teamExample },
  },
  refusals: ['validation_failed'],
};

/** `GET operations-teams/<name>/`. */
export const findOperationsTeamOpenApi: RouteOpenApi = {
  operationId: 'findOperationsTeam',
  tag: 'Operations',
  summary: 'See a team',
  path: teamPath,
  replies: { 200: { description: 'The team.', schema: teamView, example: teamExample } },
  refusals: ['not_found'],
};

/** `GET operations-teams/`. */
export const listOperationsTeamsOpenApi: RouteOpenApi = {
  operationId: 'listOperationsTeams',
  tag: 'Operations',
  summary: 'List the teams',
  replies: { 200: { description: 'All teams, by name.', schema: Type.Array(teamView), example: [teamExample] } },
  refusals: [],
};
