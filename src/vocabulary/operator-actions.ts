import { roleOfScope, type KeyScope } from './key-roles.ts';
import { reaches, type PersonRole } from './person-roles.ts';
import { tableOf } from '../foundation/table.ts';

/**
 * Lowest role for each action of operators: people on the support site, and keys by scope in the operator API. Each page and operator route
 * has an action; unlisted actions do not compile.
 */
const leastRoles = {
  look: 'viewer',
  'contact-data.reveal': 'viewer',
  'audit.verify': 'viewer',
  'contact-data.see': 'operator',
  'temporal-payload.decode': 'operator',
  'stuck.retry': 'operator',
  'bulk-action.steer': 'operator',
  'check.mend': 'operator',
  'account.change': 'operator',
  'account.withdraw': 'operator',
  'note.pin': 'operator',
  'import-job.upload': 'operator',
  'import-job.steer': 'operator',
  'import-job.results': 'operator',
  'manifest.accept': 'operator',
  'population-batch.steer': 'operator',
  'reconciliation.start': 'operator',
  'wave.steer': 'operator',
  'wave.approve': 'operator',
  'throttle.set': 'operator',
  'market-message.decide': 'operator',
  'market-message.hand-in': 'operator',
  'import-supplier.change': 'administrator',
  'event-endpoint.change': 'administrator',
  'operations-team.change': 'administrator',
  'organisation.change': 'administrator',
  'api-key.change': 'administrator',
  'api-key.revoke': 'administrator',
  'person-session.end': 'administrator',
  'concurrency-limit.set': 'administrator',
  'person.erase': 'administrator',
  'person.export': 'administrator',
} as const satisfies { [action: string]: PersonRole };

export type OperatorAction = keyof typeof leastRoles;

const roleOf = tableOf<PersonRole>(leastRoles);

/**
 * Actions that people of an import supplier may take on what belongs to it, like its keys in the supplier API. They have none of the others,
 * not even `look`, which is for staff: the pages that they see are listed in support-site/frame/supplier-pages.ts.
 */
const supplierActions: ReadonlySet<OperatorAction> = new Set([
  'import-job.upload',
  'import-job.steer',
  'import-job.results',
  'api-key.revoke',
]);

/** Returns whether a role allows an action. */
export function mayDo(role: PersonRole, action: OperatorAction): boolean {
  return reaches(role, leastRoleFor(action));
}

/** Returns whether a person may take an action: their role allows it, and so does the key that they signed in with, if any. */
export function personMay(
  { role, scope }: { role: PersonRole; scope: KeyScope | undefined },
  action: OperatorAction,
): boolean {
  if (role === 'supplier') return supplierActions.has(action);
  return mayDo(role, action) && (scope === undefined || allowsAction(scope, action));
}

/** The lowest role that allows an action; unlisted actions need an administrator. */
export function leastRoleFor(action: OperatorAction): PersonRole {
  return roleOf.get(action) ?? 'administrator';
}

/** Returns whether a scope allows an action of the operator API. */
export function allowsAction(scope: KeyScope, action: OperatorAction): boolean {
  if (action === 'wave.approve') return scope === 'all' || scope === 'approve';
  if (scope === 'market_messages') return action === 'market-message.hand-in';
  return mayDo(roleOfScope(scope), action);
}
