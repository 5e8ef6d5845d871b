import type { Caller } from '../../platform/http/route.ts';
import type { ImportJobGoal } from '../../vocabulary/import-jobs.ts';
import { membersIn } from '../../vocabulary/loose-payload.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';

/** What these rules read of the request; it may be wrong in every other way. */
interface JobRequest {
  import_supplier?: unknown;
  kind?: unknown;
  goal?: unknown;
  operations_team_name?: unknown;
  selection?: unknown;
  options?: unknown;
}

const GOALS_OF_ACCOUNTS: ReadonlySet<unknown> = new Set<ImportJobGoal>(['VALIDATE', 'STAGE', 'REHEARSE', 'CREATE']);
const GOALS_OF_THE_REST: ReadonlySet<unknown> = new Set<ImportJobGoal>(['VALIDATE', 'IMPORT']);
const CREATING: ReadonlySet<unknown> = new Set<ImportJobGoal>(['REHEARSE', 'CREATE']);

/** Cross-field rules of a new job: the supplier is the caller's, and kind, goal and selection fit together. */
export function findJobViolations(
  request: JobRequest,
  { importSuppliers }: Pick<Caller, 'importSuppliers'>,
): Violation[] {
  const { import_supplier: supplier, kind, goal, operations_team_name: team, selection } = request;
  const found: Violation[] = [];
  if (typeof supplier === 'string' && supplier !== '' && !importSuppliers.has(supplier)) {
    found.push(
      violation('invalid_choice', ['import_supplier'], 'There is no import supplier of this code for your key.'),
    );
  }
  const goals = kind === 'accounts' ? GOALS_OF_ACCOUNTS : GOALS_OF_THE_REST;
  if (typeof kind === 'string' && !goals.has(goal)) {
    found.push(
      violation('invalid_choice', ['goal'], `A job of this kind has one of the goals ${[...goals].join(', ')}.`),
    );
  }
  if (CREATING.has(goal) && kind === 'accounts' && (team === undefined || team === '')) {
    found.push(
      violation('required', ['operations_team_name'], 'Accounts are created for an operations team; name it.'),
    );
  }
  if (selection === 'staged' && !(kind === 'accounts' && CREATING.has(goal))) {
    found.push(
      violation(
        'invalid_choice',
        ['selection'],
        'What is staged is taken by jobs of accounts that REHEARSE or CREATE.',
      ),
    );
  }
  return [...found, ...optionViolations(membersIn(request.options))];
}

function optionViolations(options: Readonly<Record<string, unknown>>): Violation[] {
  const found: Violation[] = [];
  const failures = membersIn(options['stop_after_failures']);
  if (
    options['stop_after_failures'] !== undefined &&
    failures['count'] === undefined &&
    failures['percent'] === undefined
  ) {
    found.push(violation('required', ['options', 'stop_after_failures'], 'Send count, percent or both.'));
  }
  const { from, to } = membersIn(options['window']);
  if (typeof from === 'string' && from === to) {
    found.push(violation('invalid', ['options', 'window', 'to'], 'The window ends when it begins; send another hour.'));
  }
  return found;
}
