import { harmless } from './output.ts';

/** Exit status of a command that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Runs work that continues on the service when Ctrl-C ends the command. @param advice how to continue */
export async function runInterruptibly(work: () => Promise<void>, advice: () => string): Promise<void> {
  const leave = () => {
    process.stderr.write(`\n${harmless(advice())}\n`);
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', leave).once('SIGTERM', leave);
  try {
    await work();
  } finally {
    process.off('SIGINT', leave).off('SIGTERM', leave);
  }
}
