import { Command, type Option } from 'commander';
import type { AccessOptions, Connection, Surroundings } from './connection.ts';

/** What a command prints with `--json`. The form is stable: only new members are added. */
export type CommandOutput = { /** When this is printed, if not always. */ when?: string } & (
  | {
      /** The operation whose response is printed: its method and path. The schema is in the OpenAPI document. */
      operation: string;
      /** The only member of the response that is printed. */
      member?: string;
    }
  | { /** A JSON schema, if the command composes its output. */ schema: object }
);

/** A command: its help, and its work. */
export interface CommandSpec {
  /** Name and arguments in commander's syntax. */
  usage: string;
  alias?: string;
  description: string;
  /** A paragraph of the help above the examples. */
  note?: string;
  /** Command lines without the program. */
  examples: readonly string[];
  options?: readonly Option[];
  /** Options that the help shows after those of the connection. */
  moreOptions?: readonly Option[];
  /** The meaning of `--json`. */
  json?: string;
  prints: CommandOutput | readonly CommandOutput[];
  /** @param given arguments and options by name */
  act(given: never, connect: () => Promise<Connection>): Promise<void>;
}

/** The option of all commands that print a response. */
export interface JsonOption {
  json?: true;
}

/** Creates a command that calls the API. */
export function commandOf(surroundings: Surroundings, spec: CommandSpec, heading = 'Example'): Command {
  const [name = '', ...parameters] = spec.usage.split(' ');
  const command = new Command(name).description(spec.description);
  if (parameters.length > 0) command.arguments(parameters.join(' '));
  if (spec.alias !== undefined) command.alias(spec.alias);
  if (spec.note !== undefined) command.addHelpText('after', `\n${spec.note}`);
  const options = [...(spec.options ?? []), ...surroundings.options, ...(spec.moreOptions ?? [])];
  for (const option of options) command.addOption(option);
  command.option('--json', spec.json ?? 'print the response as one JSON line').action(async () => {
    const args = command.registeredArguments.map((argument, index) => [argument.name(), command.processedArgs[index]]);
    const given = { ...Object.fromEntries(args), ...command.opts<AccessOptions>() };
    await spec.act(given as never, () => surroundings.connect(given, false));
  });
  return withExamples(withOutput(command, spec.prints), surroundings.program, spec.examples, heading);
}

const outputs = new WeakMap<Command, readonly CommandOutput[]>();

/** Declares what a command prints with `--json`. */
export function withOutput(command: Command, prints: CommandSpec['prints']): Command {
  outputs.set(command, [prints].flat());
  return command;
}

/** What a command prints with `--json`; nothing if it does not have the option. */
export function outputsOf(command: Command): readonly CommandOutput[] {
  return outputs.get(command) ?? [];
}

/** The commands below one that do something, with the words that lead to them. */
export function commandsBelow(command: Command, path: readonly string[] = []): [path: string, command: Command][] {
  return command.commands.length === 0
    ? [[path.join(' '), command]]
    : command.commands.flatMap((one) => commandsBelow(one, [...path, one.name()]));
}

/** Adds examples to the help. */
export function withExamples(
  command: Command,
  program: string,
  examples: readonly string[],
  heading = 'Examples',
): Command {
  return command.addHelpText('after', `\n${heading}:\n${examples.map((line) => `  ${program} ${line}`).join('\n')}`);
}

/** Creates a group of commands. */
export function commandGroup(name: string, description: string, commands: readonly Command[]): Command {
  const group = new Command(name).description(description);
  for (const command of commands) group.addCommand(command);
  return group;
}
