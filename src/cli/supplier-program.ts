import { Command } from 'commander';
import { addCompletion } from './completion.command.ts';
import { doctorCommand } from './doctor.command.ts';
import { helpCommand } from './help.command.ts';
import { importCommand } from './import.command.ts';
import { jobsCommand } from './jobs.command.ts';
import { manifestCommand } from './manifest.command.ts';
import { migrateCommand } from './migrate.command.ts';
import { profileCommand } from './profile.command.ts';
import { programVersion } from './program-version.ts';
import { reconcileCommand } from './reconcile.command.ts';
import { supplierSurroundings } from './supplier-access.ts';
import { verifyCertificateCommand } from './verify-certificate.command.ts';
import { wavesCommand } from './waves.command.ts';

const ABOUT = `
Set GANGWAY_URL to the address of the service and GANGWAY_API_KEY, or GANGWAY_API_KEY_FILE, to your key, or use profiles (help profiles); without a key the command asks for the key on a terminal.
Exit status: 0 done, 1 refused or failed, 2 usage error, 3 service unreachable, 4 job or wave waiting for you.`;

/**
 * Creates the command line for suppliers, which needs only an address and an API key.
 * @param environment of the process
 */
export function supplierProgram(environment: Readonly<Record<string, string | undefined>>): Command {
  const surroundings = supplierSurroundings(environment);
  const program = new Command(surroundings.program)
    .description('Import data into gangway and follow the import.')
    .version(programVersion());
  const { program: name } = surroundings;
  const commands = [migrateCommand, importCommand, jobsCommand, wavesCommand, reconcileCommand].map((make) =>
    make(surroundings),
  );
  commands.push(profileCommand(surroundings), manifestCommand(name), verifyCertificateCommand(name));
  for (const command of commands) program.addCommand(command);
  program.addCommand(doctorCommand(surroundings, program)).addCommand(helpCommand(program, name));
  addCompletion(program, name);
  return program.addHelpText('after', ABOUT);
}
