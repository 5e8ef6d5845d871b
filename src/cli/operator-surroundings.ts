import { openSession, OPERATOR_ADVICE } from './api-client.ts';
import { connectTo } from './job-connection.ts';
import { PROGRAM } from './operator-command.ts';
import type { Surroundings } from './supplier-access.ts';

const RENEWED_BEFORE_END_SECONDS = 30;

/** The session of the last login, or the running `npm start`, as for every other command of operators. */
export const operatorSurroundings: Surroundings = {
  program: PROGRAM,
  addOptions: (command) => command,
  connect: async () => {
    let session = await openSession();
    return connectTo({
      url: session.url,
      isOperator: session.role !== 'supplier',
      program: PROGRAM,
      advice: OPERATOR_ADVICE,
      token: async (isRejected) => {
        const isEnding = session.expires_at - Date.now() / 1_000 < RENEWED_BEFORE_END_SECONDS;
        if (isRejected || isEnding) session = await openSession();
        return session.token;
      },
    });
  },
};
