import { runCommandLine } from '../cli/run-command-line.ts';
import { supplierProgram } from '../cli/supplier-program.ts';

/** The command line of suppliers; `npm run pack:cli` makes a package of it. */
await runCommandLine(supplierProgram(process.env), 'gangway');
