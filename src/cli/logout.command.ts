import { Command } from 'commander';
import { endSession } from './api-client.ts';
import { withExamples } from './operator-command.ts';
import { printJson, printLine } from './output.ts';
import { deleteSession, readSession } from './session.ts';

/** `logout`: ends the session at the service and deletes it here. */
export function logoutCommand(): Command {
  const command = new Command('logout')
    .description('Log out: invalidate the tokens of the last login.')
    .option('--json', 'print one JSON line {"url"}')
    .action(logout);
  return withExamples(command, ['logout']);
}

async function logout(options: { json?: true }): Promise<void> {
  const session = readSession();
  if (session !== undefined) {
    // Deleted first, so that the user is logged out here even if the service is unreachable.
    deleteSession();
    await endSession(session);
  }
  if (options.json) printJson({ url: session?.url ?? null });
  else printLine(session === undefined ? 'You are not logged in.' : `Logged out of ${session.url}.`);
}
