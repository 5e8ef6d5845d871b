import type { EntityManager } from '@mikro-orm/postgresql';

/** Ends a savepoint; says nothing of what was done in it. */
class Undone extends Error {}

/** Does work in a savepoint and undoes it: what it says is kept, what it wrote is not, and neither are its locks. */
export async function undone<T>(em: EntityManager, work: (em: EntityManager) => Promise<T>): Promise<T> {
  let result: T | undefined;
  await em
    .transactional(async (part) => {
      result = await work(part);
      throw new Undone();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
  return result as T;
}
