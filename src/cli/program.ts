import { Command } from 'commander';
import {
  accountCommand,
  eraseCommand,
  eventsCommand,
  exportPersonCommand,
  skipCommand,
  switchCommand,
} from './account-commands.ts';
import { auditCommand } from './audit.command.ts';
import { checkCommand } from './check.command.ts';
import { withExamples } from './command.ts';
import { addCompletion } from './completion.command.ts';
import { doctorCommand } from './doctor.command.ts';
import { helpCommand } from './help.command.ts';
import { importCommand } from './import.command.ts';
import { operatorJobsCommand } from './jobs.command.ts';
import { loginCommand, logoutCommand } from './login.command.ts';
import {
  keyCommand,
  limitCommand,
  organisationCommand,
  supplierCommand,
  teamCommand,
  throttleCommand,
} from './operator-commands.ts';
import { manifestCommand } from './manifest.command.ts';
import { migrateCommand } from './migrate.command.ts';
import { operatorSurroundings, PROGRAM } from './operator-session.ts';
import { profileCommand } from './profile.command.ts';
import { programVersion } from './program-version.ts';
import { reconcileCommand } from './reconcile.command.ts';
import { throwInsteadOfExit } from './run-command-line.ts';
import { bulkCommand } from './bulk.command.ts';
import { stuckCommand } from './stuck.command.ts';
import { supplyPointsCommand } from './supply-points.command.ts';
import { verifyCertificateCommand } from './verify-certificate.command.ts';
import { operatorWavesCommand } from './waves.command.ts';

const ABOUT = `
Commands use the service of --profile or GANGWAY_PROFILE, of the last login or, without a login, the running \`npm start\`.
Exit status: 0 done, 1 refused or failed, 2 usage error, 3 service unreachable, 4 job or wave waiting for you, 5 mismatches of check that need a decision.`;

/** Creates the command line with all commands. A usage error, or a request for help, throws a CommanderError. */
export function createProgram(): Command {
  const program = new Command('gangway').description('Commands for operators of gangway.').version(programVersion());
  // Otherwise `audit` would read the options of `audit verify`.
  program.enablePositionalOptions();
  const commands = [
    profileCommand(operatorSurroundings),
    loginCommand(),
    logoutCommand(),
    supplierCommand(),
    teamCommand(),
    organisationCommand(),
    keyCommand(),
    limitCommand(),
    eraseCommand(),
    exportPersonCommand(),
    skipCommand(),
    stuckCommand(),
    bulkCommand(),
    checkCommand(),
    supplyPointsCommand(),
    throttleCommand(),
    switchCommand(),
    eventsCommand(),
    auditCommand(),
    accountCommand(),
    importCommand(operatorSurroundings),
    operatorJobsCommand(operatorSurroundings),
    migrateCommand(operatorSurroundings),
    operatorWavesCommand(operatorSurroundings),
    reconcileCommand(operatorSurroundings),
    manifestCommand(PROGRAM),
    verifyCertificateCommand(PROGRAM),
  ];
  for (const command of commands) program.addCommand(command);
  program.addCommand(doctorCommand(operatorSurroundings, program)).addCommand(helpCommand(program, PROGRAM));
  addCompletion(program, PROGRAM);
  program.addHelpText('after', ABOUT);
  withExamples(program, PROGRAM, ['login', 'supplier set ACME --name "Acme Energy"', 'stuck list', '<command> --help']);
  throwInsteadOfExit(program, 'npm run cli -- ');
  return program;
}
