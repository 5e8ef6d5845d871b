import { Argument, Command, type Option } from 'commander';
import { tableOf } from '../foundation/table.ts';
import { withExamples } from './command.ts';

/** A word that can follow on the command line. */
interface Completion {
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

/** The hidden command that the scripts call: prints a completion per line, with a tab before its description. */
const WORDS = '__complete';

/**
 * Each script completes `gangway` by calling it. Without completions the shell offers files. `gangway` may also be a function of the shell,
 * such as `gangway() { npm run -s cli -- "$@"; }`.
 */
const scripts = tableOf({
  bash: `_gangway() {
  local IFS=$'\\n'
  COMPREPLY=($(gangway ${WORDS} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
}
complete -o default -F _gangway gangway
`,
  zsh: `#compdef gangway
_gangway() {
  local -a found
  found=(\${(f)"$(gangway ${WORDS} -- "\${(@)words[2,CURRENT]}" 2>/dev/null | sed -e 's/:/\\\\:/g' -e 's/\\t/:/' -e 's/:$//')"})
  if (( \${#found} )); then _describe gangway found; else _files; fi
}
if [ "\${funcstack[1]}" = _gangway ]; then _gangway; else compdef _gangway gangway; fi
`,
  fish: `function __gangway_complete
  set -l words (commandline -opc) (commandline -ct)
  gangway ${WORDS} -- $words[2..-1] 2>/dev/null
end
function __gangway_has_words
  test (count (__gangway_complete)) -gt 0
end
complete -c gangway -n __gangway_has_words -f -a '(__gangway_complete)'
`,
});

const shells = [...scripts.keys()];

/** Adds `completion bash|zsh|fish`, which prints the script that completes commands and options in a shell. */
export function addCompletion(program: Command, called: string): void {
  const completion = new Command('completion')
    .addArgument(new Argument('<shell>', 'shell').choices(shells))
    .description('Print the completion script of a shell.')
    .addHelpText('after', NOTE)
    .action((shell: string) => {
      process.stdout.write(scripts.get(shell) ?? '');
    });
  const words = new Command(WORDS).argument('[words...]').action((given: string[]) => {
    const lines = completionsOf(program, given).map(({ word, description }) => `${word}\t${description}\n`);
    process.stdout.write(lines.join(''));
  });
  const example = 'completion bash > ~/.local/share/bash-completion/completions/gangway';
  program.addCommand(withExamples(completion, called, [example])).addCommand(words, { hidden: true });
}

const NOTE = `
bash: source <(gangway completion bash), in ~/.bashrc
zsh:  source <(gangway completion zsh), in ~/.zshrc after compinit
fish: gangway completion fish > ~/.config/fish/completions/gangway.fish
The scripts complete the command \`gangway\`; in a copy of the repository, define it first: gangway() { npm run -s cli -- "$@"; }`;
