import type { EntityManager } from '@mikro-orm/postgresql';
import { OperationsTeam, type OperationsTeamTable } from './operations-team.entity.ts';
import type { OperationsTeamView } from './operations-team.schema.ts';

/** Makes a team if it is new. Two at once make one. */
export async function addOperationsTeam(
  em: EntityManager,
  name: string,
): Promise<{ created: boolean; team: OperationsTeamView }> {
  const inserted = await em
    .getKysely<OperationsTeamTable>()
    .insertInto('operations_team')
    .values({ name })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name')
    .executeTakeFirst();
  const team = await findOperationsTeamByName(em, name);
  return { created: inserted !== undefined, team: team! };
}

/** A team, if there is one of this name. */
export async function findOperationsTeamByName(
  em: EntityManager,
  name: string,
): Promise<OperationsTeamView | undefined> {
  const team = await em.findOne(OperationsTeam, { name });
  return team === null ? undefined : viewTeam(team);
}

/** All teams by name. */
export async function findAllOperationsTeams(em: EntityManager): Promise<OperationsTeamView[]> {
  return (await em.find(OperationsTeam, {}, { orderBy: { name: 'asc' } })).map(viewTeam);
}

function viewTeam(team: OperationsTeam): OperationsTeamView {
  return { name: team.name, created_at: team.createdAt.toISOString() };
}
