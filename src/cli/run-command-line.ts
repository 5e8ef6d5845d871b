import { CommanderError, type Command } from 'commander';
import { CommandError, exitStatuses } from './command-error.ts';
import { harmless } from './output.ts';

/**
 * Runs one command line and sets the exit status of the process.
 * @param called how the command line is called, for advice
 * @param isForUsers returns whether an error's message suffices for users; that of a `CommandError` always does
 */
export async function runCommandLine(
  program: Command,
  called: string,
  isForUsers: (error: unknown) => boolean = () => false,
): Promise<void> {
  // The reader of our output may close it early (`| head`), which is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? exitStatuses.done : exitStatuses.failed),
  );
  throwInsteadOfExit(program, `${called} `);
  try {
    await program.parseAsync(process.argv);
    // A command may have set another status.
    process.exitCode ??= exitStatuses.done;
  } catch (error) {
    process.exitCode = statusAfter(error, isForUsers);
  }
}

function statusAfter(error: unknown, isForUsers: (error: unknown) => boolean): number {
  // Commander has already printed its message or the requested help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitStatuses.done : exitStatuses.usage;
  const isKnown = error instanceof CommandError || isForUsers(error);
  const message = error instanceof Error ? error.message : String(error);
  const text = isKnown ? message : `Internal error: ${message}\n${error instanceof Error ? error.stack : ''}`;
  process.stderr.write(`${printable(text)}\n`);
  return error instanceof CommandError ? error.exitStatus : exitStatuses.failed;
}

/** Makes a message safe for a terminal or a log: masks an API key that was given by mistake. */
function printable(text: string): string {
  return harmless(text).replace(/gwk_[\w-]+/g, 'gwk_...');
}

/** Makes usage errors throw, with a message that refers to the help of the command. */
export function throwInsteadOfExit(command: Command, path: string): void {
  const outputError = (text: string, write: (text: string) => void) => {
    write(printable(text));
  };
  command.exitOverride().configureOutput({ outputError }).showHelpAfterError(`See: ${path}--help`);
  for (const below of command.commands) throwInsteadOfExit(below, `${path}${below.name()} `);
}
