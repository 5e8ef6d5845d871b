import type { Argument, Command, Option } from 'commander';

/** A word that can follow on the command line. */
export interface Completion {
  word: string;
  description: string;
}

/**
 * The words that can complete a command line, from the commands and options of the program. None where a value is expected that the program
 * does not know, such as a file.
 * @param words all words after the program; the last one is being typed and may be empty
 */
export function completionsOf(program: Command, words: readonly string[]): Completion[] {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const { command, values, awaiting } = walk(program, before);
  if (awaiting !== undefined) return choicesOf(awaiting, typed);
  if (typed.startsWith('-')) return matching(optionsOf(command, before), typed);
  if (command.commands.length > 0) return matching(commandsOf(command), typed);
  const argument = command.registeredArguments[Math.min(values, command.registeredArguments.length - 1)];
  return argument === undefined ? [] : choicesOf(argument, typed);
}

/** Follows the words to a command: the number of its values so far, and the option whose value comes next. */
function walk(program: Command, words: readonly string[]) {
  let command = program;
  let values = 0;
  let awaiting: Option | undefined;
  for (const word of words) {
    if (awaiting !== undefined) {
      awaiting = undefined;
    } else if (word.startsWith('-')) {
      const option = command.options.find(({ long, short }) => word === long || word === short);
      awaiting = option?.required ? option : undefined;
    } else {
      const below = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
      if (below === undefined) values += 1;
      else command = below;
    }
  }
  return { command, values, awaiting };
}

const commandsOf = (command: Command): Completion[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ word: one.name(), description: one.description() }));

/** Options that the command line already has are omitted. */
const optionsOf = (command: Command, before: readonly string[]): Completion[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, short, description }) => ({ word: long ?? short ?? '', description }))
    .filter(({ word }) => word !== '' && !before.includes(word));

const choicesOf = ({ argChoices = [] }: Pick<Option | Argument, 'argChoices'>, typed: string): Completion[] =>
  matching(
    argChoices.map((word) => ({ word, description: '' })),
    typed,
  );

function matching(completions: readonly Completion[], typed: string): Completion[] {
  return completions.filter(({ word }) => word.startsWith(typed));
}
