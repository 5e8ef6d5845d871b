import type { Command } from 'commander';
import type { ThrottleView } from '../supply-points/throttle/throttle.openapi.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { commandGroup, givenOnly, operatorCommand, pathOf, REASON_OPTION } from './operator-command.ts';
import { printLine } from './output.ts';

interface SetOptions {
  perSecond?: string;
  perHour?: string;
  reason?: string;
}

const pathTo = (operator: string) => `network-operators/${pathOf(operator, 'throttle')}`;

/** `throttle show|set`: the speed of calls to a network operator. */
export function throttleCommand(): Command {
  return commandGroup('throttle', 'Speed of the lookups at the network operators', [
    operatorCommand({
      usage: 'show <operator>',
      description: 'Show the rate limit of enedis or grdf.',
      examples: ['throttle show enedis'],
      call: (client, operator: string): Promise<ThrottleView> => client.call('GET', pathTo(operator)),
      show,
    }),
    operatorCommand({
      usage: 'set <operator>',
      description: 'Set the rate limit; it takes effect on all workers within a second. 0 pauses lookups.',
      examples: [
        'throttle set enedis --per-second 5 --per-hour 10000 --reason "contract of May"',
        'throttle set grdf --per-second 0',
      ],
      options: (command) =>
        command
          .option('--per-second <calls>', 'maximum calls per second')
          .option('--per-hour <calls>', 'maximum calls per hour')
          .option(...REASON_OPTION),
      call: (client, operator: string, options: SetOptions): Promise<ThrottleView> => {
        if (options.perSecond === undefined && options.perHour === undefined) {
          throw new CommandError('Set --per-second, --per-hour, or both.', exitStatuses.usage);
        }
        return client.call(
          'PUT',
          pathTo(operator),
          givenOnly({
            requests_per_second: numberIn(options.perSecond),
            requests_per_hour: numberIn(options.perHour),
            reason: options.reason,
          }),
        );
      },
      show,
    }),
  ]);
}

function show(throttle: ThrottleView): void {
  const why = throttle.reason === null ? '' : ` (${throttle.reason})`;
  const speed = throttle.used_per_second === 0 ? 'is paused' : `receives ${throttle.used_per_second} calls per second`;
  printLine(
    `${throttle.network_operator} ${speed}: at most ${throttle.requests_per_second} calls per second and ${throttle.requests_per_hour} per hour${why}.`,
  );
  if (throttle.blocked_until !== null) {
    printLine(`Rate limited by the network operator until ${throttle.blocked_until}.`);
  }
}

function numberIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(text)) {
    throw new CommandError('A number from 0 is expected, such as 5 or 0.5.', exitStatuses.usage);
  }
  return Number(text);
}
