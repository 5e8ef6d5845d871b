import { Argument, Command } from 'commander';
import { tableOf } from '../foundation/table.ts';
import { completionsOf } from './completions.ts';
import { withExamples } from './command.ts';

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
