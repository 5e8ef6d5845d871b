import type { Caller } from '../../platform/http/route.ts';
import type { ImportJobGoal } from '../../vocabulary/import-jobs.ts';
import { membersIn } from '../../vocabulary/loose-payload.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';

/** The members that these rules read; the schema has not been checked yet. */
interface JobRequest {
  import_supplier?: unknown;
  kind?: unknown;
  goal?: unknown;
  operations_team_name?: unknown;
  selection?: unknown;
  options?: unknown;
  manifest?: unknown;
}

const GOALS_OF_ACCOUNTS: ReadonlySet<unknown> = new Set<ImportJobGoal>(['VALIDATE', 'STAGE', 'REHEARSE', 'CREATE']);
const GOALS_OF_THE_REST: ReadonlySet<unknown> = new Set<ImportJobGoal>(['VALIDATE', 'IMPORT']);
const CREATING: ReadonlySet<unknown> = new Set<ImportJobGoal>(['REHEARSE', 'CREATE']);

/** Cross-field rules of a new job: the API key may use the supplier, and kind, goal and selection fit together. */
export function findJobViolations(
  request: JobRequest,
  { importSuppliers }: Pick<Caller, 'importSuppliers'>,
): Violation[] {
  const { import_supplier: supplier, kind, goal, operations_team_name: team, selection } = request;
  const found: Violation[] = [];
  if (typeof supplier === 'string' && supplier !== '' && !importSuppliers.has(supplier)) {
    found.push(violation('invalid_choice', ['import_supplier'], 'Your API key has no import supplier with this code.'));
  }
  const goals = kind === 'accounts' ? GOALS_OF_ACCOUNTS : GOALS_OF_THE_REST;
  if (typeof kind === 'string' && !goals.has(goal)) {
    found.push(violation('invalid_choice', ['goal'], `For this kind, send one of ${[...goals].join(', ')}.`));
  }
  if (CREATING.has(goal) && kind === 'accounts' && (team === undefined || team === '')) {
    found.push(
      violation(
        'required',
        ['operations_team_name'],
        'This goal creates accounts, which belong to an operations team. Send its name.',
      ),
    );
  }
  if (selection === 'wave') {
    found.push(
      violation(
        'invalid_choice',
        ['selection'],
        'Jobs over the members of a wave are opened with waves/<id>/rehearse/ and waves/<id>/create/.',
      ),
    );
  }
  if (selection === 'staged' && !(kind === 'accounts' && CREATING.has(goal))) {
    found.push(
      violation(
        'invalid_choice',
        ['selection'],
        'The selection staged requires kind accounts and goal REHEARSE or CREATE.',
      ),
    );
  }
  return [...found, ...optionViolations(membersIn(request.options)), ...manifestViolations(request)];
}

/** A manifest describes uploaded records of the kind and the import supplier of the job. */
function manifestViolations({ kind, selection, import_supplier: supplier, manifest }: JobRequest): Violation[] {
  if (manifest === undefined) return [];
  if (selection === 'staged') {
    return [
      violation('invalid', ['manifest'], 'A job over staged accounts has no upload that a manifest could describe.'),
    ];
  }
  const { kinds, import_supplier: named } = membersIn(manifest);
  const found: Violation[] = [];
  if (named !== undefined && named !== '' && named !== supplier) {
    const detail = 'The manifest describes records of another import supplier than the job.';
    found.push(violation('invalid_choice', ['manifest', 'import_supplier'], detail));
  }
  if (typeof kind === 'string' && membersIn(kinds)[kind] === undefined) {
    found.push(violation('required', ['manifest', 'kinds'], `The manifest has no totals of ${kind}.`));
  }
  return found;
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
    found.push(violation('invalid', ['options', 'window', 'to'], 'The window must not end at the time it begins.'));
  }
  return found;
}
