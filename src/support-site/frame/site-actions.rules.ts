import { reaches, type PersonRole } from '../../vocabulary/person-roles.ts';
import { tableOf } from '../../vocabulary/table.ts';

/** All that a page does, and who may do it at least. A page names one; what is not listed does not compile. */
const leastRoles = {
  look: 'viewer',
  'contact-data.reveal': 'viewer',
  'contact-data.see': 'operator',
  'stuck.retry': 'operator',
  'account.change': 'operator',
  'note.pin': 'operator',
  'import-job.steer': 'operator',
  'population-batch.steer': 'operator',
  'throttle.set': 'operator',
  'market-message.decide': 'operator',
  'import-supplier.change': 'administrator',
  'operations-team.change': 'administrator',
  'organisation.change': 'administrator',
  'api-key.change': 'administrator',
  'person-session.end': 'administrator',
  'concurrency-limit.set': 'administrator',
} as const satisfies { [action: string]: PersonRole };

export type SiteAction = keyof typeof leastRoles;

const roleOf = tableOf<PersonRole>(leastRoles);

/** Tells whether a role may do something. */
export function mayDo(role: PersonRole, action: SiteAction): boolean {
  return reaches(role, leastRoleFor(action));
}

/** The least role that may do something; what is not in the table only an administrator may. */
export function leastRoleFor(action: SiteAction): PersonRole {
  return roleOf.get(action) ?? 'administrator';
}
