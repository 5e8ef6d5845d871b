import { counted, printLine, printTable } from './output.ts';
import { showManifest } from './sent-manifest.ts';
import { decisionOf, textOf } from './wave-decision.ts';
import { headOf, lineOfGate, progressOfWave, type WaveView } from './wave-view.ts';

const CHANGED_SHOWN_MAX = 10;

/** Prints a wave for people. */
export function showWave(wave: WaveView, program: string): void {
  printLine(headOf(wave));
  const plan = planOf(wave);
  if (plan !== '') printLine(plan);
  printLine(progressOfWave(wave));
  printLine('');
  for (const gate of wave.gates) printLine(lineOfGate(gate));
  showDetails(wave, program);
}

function planOf({ plan }: WaveView): string {
  const { create_from: from, create_until: until, supply_start_from: first, supply_start_to: last } = plan;
  const { expected_accounts: expected } = plan;
  return [
    ...(from === null && until === null ? [] : [`Creation from ${from ?? 'now'} until ${until ?? 'its end'}.`]),
    ...(first === null && last === null ? [] : [`Supply starts from ${first ?? '-'} to ${last ?? '-'}.`]),
    ...(typeof expected !== 'number' ? [] : [`${counted(expected, 'account')} expected.`]),
  ].join(' ');
}

/** Prints what blocks a wave, its approval, and what it waits for. */
function showDetails(wave: WaveView, program: string): void {
  showCauses(wave);
  showManifest(wave.manifest);
  if (wave.approval !== null) {
    printLine('');
    for (const line of linesOfApproval(wave.approval)) printLine(line);
  }
  const decision = decisionOf(wave);
  if (decision !== undefined) printLine(`\n${textOf(decision, program)}`);
}

/** Prints the causes of faults while a gate is blocked. */
export function showCauses({ causes, gates }: WaveView): void {
  if (causes.length === 0 || !gates.some(({ state }) => state === 'blocked')) return;
  printLine('');
  printTable(causes, { RECORDS: 'records', CAUSE: 'code' }, '');
}

function linesOfApproval(approval: NonNullable<WaveView['approval']>): string[] {
  const { requested_by: by, requested_at: at, reason, members, decision, changed } = approval;
  const lines = [`Approval of ${counted(members, 'account')} requested by ${by} at ${at}: ${reason}`];
  if (decision !== null) {
    lines.push(`  ${decision} by ${approval.decided_by} at ${approval.decided_at}: ${approval.decision_reason}`);
  }
  if (approval.plan_changed) lines.push('  The plan changed since.');
  if (changed !== null && changed > 0) {
    const named = approval.changed_accounts.slice(0, CHANGED_SHOWN_MAX);
    const more = changed > named.length ? ` and ${changed - named.length} more` : '';
    lines.push(`  changed since: ${named.join(', ')}${more}`);
  }
  return lines;
}
