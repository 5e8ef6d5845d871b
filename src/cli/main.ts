import { SettingsError } from '../platform/settings.ts';
import { createProgram } from './program.ts';
import { runCommandLine } from './run-command-line.ts';

await runCommandLine(createProgram(), 'npm run cli --', (error) => error instanceof SettingsError);
