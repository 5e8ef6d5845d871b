import { Command } from 'commander';
import { openApiClient, type ApiClient } from './api-client.ts';
import { printJson } from './output.ts';

/** How operators call the command line. `-s` keeps two lines of npm out of redirected output. */
export const PROGRAM = 'npm run -s cli --';

/** A command: its request to the API, and how the response is printed. */
export interface OperatorCommand<Arguments extends unknown[], Answer> {
  /** Name and arguments in commander's syntax. */
  usage: string;
  description: string;
  examples: readonly string[];
  /** Adds options. */
  options?: (command: Command) => Command;
  call: (client: ApiClient, ...args: Arguments) => Promise<Answer>;
  show: (answer: Answer) => void;
  /** The exit status, if it depends on the answer. */
  exitStatus?: (answer: Answer) => number;
}

/** Creates a command that calls the HTTP API, with `--json` and examples in its help. */
export function operatorCommand<Arguments extends unknown[], Answer>(
  about: OperatorCommand<Arguments, Answer>,
): Command {
  const [name = '', ...parameters] = about.usage.split(' ');
  const command = new Command(name).description(about.description);
  if (parameters.length > 0) command.arguments(parameters.join(' '));
  (about.options?.(command) ?? command).option('--json', 'print the response as one JSON line');
  return withExamples(command, about.examples).action(async (...given: unknown[]) => {
    // Commander passes the arguments, then the options, then the command itself.
    const args = given.slice(0, -1) as Arguments;
    const answer = await about.call(await openApiClient(), ...args);
    if (command.opts<{ json?: true }>().json) printJson(answer);
    else about.show(answer);
    process.exitCode = about.exitStatus?.(answer);
  });
}

/** Creates a group of commands. */
export function commandGroup(name: string, description: string, commands: readonly Command[]): Command {
  const group = new Command(name).description(description);
  for (const command of commands) group.addCommand(command);
  return withExamples(
    group,
    commands.map((command) => `${name} ${command.name()} --help`),
  );
}

/** Adds examples to the help. */
export function withExamples(command: Command, examples: readonly string[]): Command {
  return command.addHelpText(
    'after',
    `\nExamples:\n${examples.map((example) => `  ${PROGRAM} ${example}`).join('\n')}`,
  );
}

/** Path segments, encoded. */
export function pathOf(...segments: readonly string[]): string {
  return `${segments.map(encodeURIComponent).join('/')}/`;
}

/** Omits options that were not given. */
export function givenOnly(options: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

export const REASON_OPTION = ['--reason <text>', 'reason, recorded in the audit'] as const;
