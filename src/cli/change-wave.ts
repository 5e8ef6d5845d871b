import { Option } from 'commander';
import type { CommandSpec, JsonOption } from './command.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { countIn, failuresIn } from './import-options.ts';
import { printAnswer, printLine } from './output.ts';
import { showWave } from './show-wave.ts';
import { holdIn } from './wave-opening.ts';
import { pathOfWave, readWave, wavesPath } from './wave-view.ts';

const NONE = 'none';

/** Reads a value, or `none`, which removes it. Commander would replace null. */
const orNone =
  <Value>(read: (text: string) => Value) =>
  (text: string): Value | typeof NONE =>
    text.toLowerCase() === NONE ? NONE : read(text);

function valueOf<Value>(given: Value | typeof NONE | undefined): Value | null | undefined {
  return given === NONE ? null : given;
}

const asText = orNone((text) => text);

interface ChangeOptions extends JsonOption {
  wave: string;
  reason: string;
  createFrom?: string;
  createUntil?: string;
  supplyStartFrom?: string;
  supplyStartTo?: string;
  expectedAccounts?: number | typeof NONE;
  canary?: number | typeof NONE;
  stopAfterFailures?: { count: number } | { percent: number } | typeof NONE;
  maxPerSecond?: number | typeof NONE;
  holdSwitchesHours?: number | typeof NONE;
}

interface ChangedPlan {
  changed: string[];
  approval_ended: boolean;
}

/** `waves change`: changes the plan of a wave until its creation begins. */
export const changePlan: CommandSpec = {
  usage: 'change <wave>',
  description: 'Change the plan of a wave until its creation begins; its approval ends.',
  note: `The value "${NONE}" removes a value from the plan.`,
  examples: [
    'waves change <wave> --create-from 2026-12-13T22:00:00+01:00 --create-until 2026-12-14T06:00:00+01:00 --reason "a night later"',
    'waves change <wave> --canary none --reason "canary of wave 2 succeeded"',
  ],
  options: [
    new Option('--create-from <time>', 'create the accounts from this time').argParser(asText),
    new Option('--create-until <time>', 'pause the creation at this time').argParser(asText),
    new Option('--supply-start-from <day>', 'first day of supply that is planned').argParser(asText),
    new Option('--supply-start-to <day>', 'last day of supply that is planned').argParser(asText),
    new Option('--expected-accounts <number>', 'accounts that the source delivers').argParser(orNone(countIn)),
    new Option('--canary <accounts>', 'create this number of accounts, then wait').argParser(orNone(countIn)),
    new Option('--stop-after-failures <number>', 'pause after this number or percentage: 500 or 2%').argParser(
      orNone(failuresIn),
    ),
    new Option('--max-per-second <accounts>', 'maximum accounts created per second').argParser(orNone(countIn)),
    new Option('--hold-switches-hours <hours>', 'hours from the creation to the first switch').argParser(
      orNone(holdIn),
    ),
    new Option('--reason <text>', 'reason, recorded in the audit').makeOptionMandatory(),
  ],
  prints: { operation: `PATCH ${wavesPath({ isOperator: false })}<wave>/` },
  act: async (given: ChangeOptions, connect) => {
    const body = bodyOf(given);
    const isEmpty = [body.plan, body.options].every((members) =>
      Object.values(members).every((of) => of === undefined),
    );
    if (isEmpty) throw new CommandError('Name at least one value that changes.', exitStatuses.usage);
    const connection = await connect();
    const answer = await connection.call<ChangedPlan>('PATCH', pathOfWave(connection, given.wave), body);
    const wave = await readWave(connection, given.wave);
    printAnswer(answer, given.json, ({ changed, approval_ended: hasEnded }) => {
      printLine(changed.length === 0 ? 'Nothing was changed.' : `Changed: ${changed.join(', ')}.`);
      if (hasEnded) printLine('The approval ended, because it named the plan: request another one.');
      showWave(wave, connection.program);
    });
  },
};

/** The body of the request; JSON omits members that are undefined. */
function bodyOf(given: ChangeOptions): { plan: object; options: object; reason: string } {
  const { stopAfterFailures: stop } = given;
  const noStop = { count: null, percent: null };
  return {
    plan: {
      create_from: valueOf(given.createFrom),
      create_until: valueOf(given.createUntil),
      supply_start_from: valueOf(given.supplyStartFrom),
      supply_start_to: valueOf(given.supplyStartTo),
      expected_accounts: valueOf(given.expectedAccounts),
    },
    options: {
      canary: valueOf(given.canary),
      stop_after_failures: stop === undefined ? undefined : { ...noStop, ...valueOf<object>(stop) },
      max_per_second: valueOf(given.maxPerSecond),
      hold_switches_hours: valueOf(given.holdSwitchesHours),
    },
    reason: given.reason,
  };
}
