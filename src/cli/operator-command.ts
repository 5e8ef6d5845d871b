import { Option, type Command } from 'commander';
import { commandGroup, commandOf, withExamples, type CommandSpec, type JsonOption } from './command.ts';
import { operatorSurroundings, PROGRAM } from './operator-session.ts';
import { memberAt, printAnswer, printLine, printOutline, printTable, type Columns } from './output.ts';

/** A command that makes one call and prints its response. */
export interface CallSpec extends Omit<CommandSpec, 'act' | 'prints'> {
  /** Method and path below `/v1/operations/`; `<name>` is replaced by the argument of that name. */
  route: string;
  /**
   * The members of the request: a function of arguments and options, or the members that do not have the name of an option in snake
   * case. Without it, each option is a member.
   */
  members?: Readonly<Record<string, string>> | ((given: never) => object);
  /** Prints the response; without it, as an outline. */
  show?: (response: never) => void;
}

type Given = Record<string, unknown>;

/** Creates a command of operators. */
export function operatorCommand(spec: CommandSpec | CallSpec): Command {
  if (!('route' in spec)) return commandOf(operatorSurroundings, spec, 'Examples');
  const [method, path = ''] = spec.route.split(' ');
  const prints = { operation: `${method} ${path.startsWith('/') ? path : `/v1/operations/${path}`}` };
  return commandOf(operatorSurroundings, { ...spec, prints, act: callOf(spec) }, 'Examples');
}

/** Creates a group of commands of operators. */
export function operatorGroup(name: string, description: string, specs: readonly (CommandSpec | CallSpec)[]): Command {
  const group = commandGroup(name, description, specs.map(operatorCommand));
  const help = group.commands.map((command) => `${name} ${command.name()} --help`);
  return withExamples(group, PROGRAM, help);
}

function callOf({ route, options, members, show = printOutline }: CallSpec): CommandSpec['act'] {
  const [method = '', template = ''] = route.split(' ');
  return async (given: Given & JsonOption, connect) => {
    const sent = typeof members === 'function' ? members(given as never) : namedMembers(given, options, members);
    const connection = await connect();
    const path = pathOf(template, given);
    const response =
      method === 'GET'
        ? await connection.send(method, withQuery(path, sent))
        : await connection.send(method, path, options || members ? sent : undefined);
    printAnswer(response as never, given.json, show);
  };
}

function namedMembers(given: Given, options: CallSpec['options'] = [], names: Readonly<Record<string, string>> = {}) {
  const ofOptions = options.map((one): [string, string] => [one.attributeName(), one.name().replaceAll('-', '_')]);
  const all = { ...Object.fromEntries(ofOptions), ...names };
  return Object.fromEntries(Object.entries(all).map(([name, member]) => [member, given[name]]));
}

/** Replaces each `<name>` of a path. */
export function pathOf(template: string, values: Readonly<Given>): string {
  return template.replace(/<(\w+)>/g, (_match, name: string) => encodeURIComponent(String(values[name])));
}

/** Adds the given members as a query. */
function withQuery(path: string, members: object): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? path
    : `${path}?${new URLSearchParams(Object.fromEntries(given) as Record<string, string>)}`;
}

/** Prints a table. */
export const table =
  <Row>(columns: Columns<Row>, whenEmpty: string) =>
  (rows: readonly Row[]) =>
    printTable(rows, columns, whenEmpty);

/** Prints a line in which each `{member}` is replaced by the response's. */
export const line = (template: string) => (response: object) =>
  printLine(template.replace(/\{(\w+)\}/g, (_match, name: string) => String(memberAt(response, name))));

export const REASON = new Option('--reason <text>', 'reason, recorded in the audit');
export const REQUIRED_REASON = new Option(REASON.flags, REASON.description).makeOptionMandatory();
