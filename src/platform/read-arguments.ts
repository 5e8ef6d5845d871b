/** What a program says of itself, and which arguments it knows. */
export interface About {
  /** How it is called: `npm run sbom [-- <folder>]`. */
  usage: string;
  /** What it does, in sentences; made only when it is asked for. */
  help: string | (() => string);
  /** Options that it knows, `--exit`, or `--data-folder=` where a value follows; none unless given. */
  options?: readonly string[];
  /** How many arguments that are no options it needs, and how many it takes; none unless given. */
  words?: { least: number; most: number };
}

/**
 * Reads the arguments of this process. `--help` prints the help and exits. Unknown, missing or surplus arguments end the process
 * with status 2: an option must neither be ignored silently nor become the name of a file.
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
  if (unknown !== undefined) refuse(`There is no argument "${unknown}" here.`, usage);
  if (chosen.length < words.least) refuse('An argument is missing.', usage);
  return chosen;
}

function refuse(sentence: string, usage: string): never {
  process.stderr.write(`${sentence} Usage: ${usage}; see --help.\n`);
  process.exit(2);
}
