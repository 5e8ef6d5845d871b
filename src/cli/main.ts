import { Command, CommanderError } from 'commander';
import { SettingsError } from '../platform/settings.ts';
import { CommandError } from './command-error.ts';
import { keyCreateCommand } from './key-create.command.ts';

/** What the process ends with: done, failed, or called the wrong way. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** Runs one command line. */
async function main(argv: readonly string[]): Promise<number> {
  const program = new Command('gangway').description('Commands for operators and suppliers of gangway.').exitOverride();
  const key = new Command('key').description('API keys').exitOverride();
  program.addCommand(key.addCommand(keyCreateCommand().exitOverride()));
  try {
    await program.parseAsync(argv);
    return EXIT.done;
  } catch (error) {
    // Commander has printed its own message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const isForUsers = error instanceof CommandError || error instanceof SettingsError;
    process.stderr.write(`${isForUsers ? (error as Error).message : `This is a fault of gangway: ${error instanceof Error ? error.stack : String(error)}`}\n`);
    return EXIT.failed;
  }
}

process.exitCode = await main(process.argv);
