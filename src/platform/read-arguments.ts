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
 * The arguments of this process. `--help` is answered, and ends it. It ends with status 2 when it was given what it does not
 * know, or too much or too little: what is taken for an option must not be left out without a word, nor become a file's name.
 * @returns those that are no options
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
  process.stderr.write(`${sentence} Usage: ${usage}; --help tells more.\n`);
  process.exit(2);
}
