import type { Database } from '../../platform/database/database.ts';
import type { Reply, Route } from '../../platform/http/route.ts';
import { compileOperatorBody } from '../../platform/validation/compile-operator-body.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { putOperationsTeamOpenApi } from './operations-team.openapi.ts';
import { recordAudit, type Actor } from '../audit/audit-entry.store.ts';
import { putOperationsTeamSchema, teamNameSchema, type PutOperationsTeam } from './operations-team.schema.ts';
import { addOperationsTeam } from './operations-team.store.ts';

const checkName = compileOperatorBody<{ name: string }>(teamNameSchema);
const checkBody = compileOperatorBody<PutOperationsTeam>(putOperationsTeamSchema);

/** `PUT operations-teams/<name>/`: makes a team that requests may name. */
export const putOperationsTeam = (deps: { database: Database }): Route => ({
  method: 'PUT',
  path: '/v1/operations/operations-teams/:name',
  access: 'operator',
  action: 'operations-team.change',
  openApi: putOperationsTeamOpenApi,
  bodyLimitBytes: 16_384,
  handle: ({ params, body, caller }) => addAuditedTeam(deps, caller, { name: params['name'], body }),
});

/** Makes a team if it is new, with its row of the audit; what an operator's call answers then. */
export async function addAuditedTeam(
  deps: { database: Database },
  actor: Actor,
  wanted: { name: string | undefined; body: unknown },
): Promise<Reply | Refused> {
  const path = checkName({ name: wanted.name });
  if (isRefused(path)) return path;
  const sent = checkBody(wanted.body);
  if (isRefused(sent)) return sent;
  const { created, team } = await deps.database.transaction(async (em) => {
    const done = await addOperationsTeam(em, path.name);
    const subject = `operations-teams/${path.name}`;
    if (done.created) {
      await recordAudit(em, actor, {
        action: 'operations_team.created',
        subject,
        after: done.team,
        reason: sent.reason,
      });
    }
    return done;
  });
  return { status: created ? 201 : 200, body: team };
}
