import type { Database } from '../../platform/database/database.ts';
import type { Reply, Route } from '../../platform/http/route.ts';
import { compileOperatorBody } from '../../platform/validation/compile-operator-body.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { putOrganisationOpenApi } from './organisation.openapi.ts';
import { recordAudit, type Actor } from '../audit/audit-entry.store.ts';
import { unknownOrganisation } from './find-organisation.route.ts';
import { organisationNameSchema, putOrganisationSchema, type PutOrganisation } from './organisation.schema.ts';
import { changeOrganisation } from './organisation.store.ts';

const checkName = compileOperatorBody<{ name: string }>(organisationNameSchema);
const checkBody = compileOperatorBody<PutOrganisation>(putOrganisationSchema);

/** `PUT organisations/<name>/`: the options of an organisation. It is made by its first key. */
export const putOrganisation = (deps: { database: Database }): Route => ({
  method: 'PUT',
  path: '/v1/operations/organisations/:name',
  access: 'operator',
  action: 'organisation.change',
  openApi: putOrganisationOpenApi,
  bodyLimitBytes: 16_384,
  handle: ({ params, body, caller }) => changeAuditedOrganisation(deps, caller, { name: params['name'], body }),
});

/** Changes the options of an organisation, with its row of the audit; what an operator's call answers then. */
export async function changeAuditedOrganisation(
  deps: { database: Database },
  actor: Actor,
  wanted: { name: string | undefined; body: unknown },
): Promise<Reply | Refused> {
  const path = checkName({ name: wanted.name });
  if (isRefused(path)) return unknownOrganisation();
  const sent = checkBody(wanted.body);
  if (isRefused(sent)) return sent;
  const change = await deps.database.transaction(async (em) => {
    const done = await changeOrganisation(em, path.name, sent);
    if (done) {
      await recordAudit(em, actor, {
        action: 'organisation.changed',
        subject: `organisations/${path.name}`,
        ...done,
        reason: sent.reason,
      });
    }
    return done;
  });
  return change === undefined ? unknownOrganisation() : { status: 200, body: change.after };
}
