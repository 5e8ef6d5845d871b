/** Help of a program, and the arguments that it accepts. */
export interface About {
  /** Command line: `npm run sbom [-- <folder>]`. */
  usage: string;
  /** Description of the program; a function is called only for `--help`. */
  help: string | (() => string);
  /** Accepted options: `--exit`, or `--data-folder=` for an option with a value. Default: none. */
  options?: readonly string[];
  /** Required and maximum number of other arguments. Default: none. */
  words?: { least: number; most: number };
}

/**
 * Reads the arguments of this process. `--help` prints the help and exits. Unknown, missing or surplus arguments exit with status 2,
 * because an option must neither be ignored silently nor be used as a file name.
 * @returns the arguments that are not options
 */
export function readArguments({ usage, help, options = [], words = { least: 0, most: 0 } }: About): string[] {
  const given = process.argv.slice(2);
  if (given.some((argument) => argument === '--help' || argument === '-h')) {
    process.stdout.write(`Usage: ${usage}\n\n${typeof help === 'string' ? help : help()}\n`);
    process.exit(0);
  }
  const isOption = (argument: string) => argument.startsWith('-');
  const chosen = given.filter((argument) => !isOption(argument));
  const isKnown = (argument: string) =>
    options.some((option) => (option.endsWith('=') ? argument.startsWith(option) : argument === option));
  const unknown = given.find((argument) => isOption(argument) && !isKnown(argument)) ?? chosen[words.most];
  if (unknown !== undefined) refuse(`Unknown argument "${unknown}".`, usage);
  if (chosen.length < words.least) refuse('An argument is missing.', usage);
  return chosen;
}

function refuse(sentence: string, usage: string): never {
  process.stderr.write(`${sentence} Usage: ${usage}; see --help.\n`);
  process.exit(2);
}
