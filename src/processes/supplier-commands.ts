import { runCommandLine } from '../cli/run-command-line.ts';
import { supplierProgram } from '../cli/supplier-program.ts';

/** The suppliers' command line; `npm run pack:cli` packages it. */
await runCommandLine(supplierProgram(process.env), 'gangway');
