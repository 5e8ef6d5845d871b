import { CommanderError } from 'commander';
import { SettingsError } from '../platform/settings.ts';
import { CommandError, exitStatuses } from './command-error.ts';
import { createProgram } from './program.ts';

/** Runs one command line. */
async function main(argv: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(argv);
    return exitStatuses.done;
  } catch (error) {
    // Commander has printed its own message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitStatuses.done : exitStatuses.usage;
    const isForUsers = error instanceof CommandError || error instanceof SettingsError;
    process.stderr.write(
      `${isForUsers ? error.message : `This is a fault of gangway: ${error instanceof Error ? error.stack : String(error)}`}\n`,
    );
    return error instanceof CommandError ? error.exitStatus : exitStatuses.failed;
  }
}

// Whoever reads our output has seen enough (`| head`), which is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? exitStatuses.done : exitStatuses.failed),
);
process.exitCode = await main(process.argv);
