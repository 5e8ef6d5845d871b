import { type RawBuilder, sql } from 'kysely';

/** Timestamps as they are hashed. */
export const timestampOf = (value: RawBuilder<unknown>) =>
  sql<string>`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Members with free text, which `erase_texts_of_audit` removes from the states before and after. */
const TEXTS = sql`'{reason,skip_reason,detail}'::text[]`;
const [before, after] = [sql.ref('e.before'), sql.ref('e.after')];
const isObject = (state: RawBuilder<unknown>) => sql`jsonb_typeof(${state}) = 'object'`;
const hasTexts = (state: RawBuilder<unknown>) => sql`coalesce(${isObject(state)} and ${state} ?| ${TEXTS}, false)`;
const keptOf = (state: RawBuilder<unknown>) =>
  sql<string | null>`case when ${isObject(state)} then ${state} - ${TEXTS} else ${state} end::text`;
const textsOf = (state: RawBuilder<unknown>) =>
  sql`case when ${hasTexts(state)} then (select jsonb_object_agg(key, value) from jsonb_each(${state}) where key = any (${TEXTS})) end`;

/** Columns of an entry `e` as they are hashed. An owner of the table may have stored any JSON, so nothing may fail on it. */
export const HASHED_ENTRY = [
  'e.id',
  timestampOf(sql.ref('e.at')).as('at'),
  'e.actor_key_id as actorKeyId',
  'e.actor_name as actorName',
  'e.action',
  'e.subject',
  keptOf(before).as('before'),
  keptOf(after).as('after'),
  sql<boolean>`e.reason is not null`.as('hasReason'),
  sql<string | null>`case when e.reason is not null or ${hasTexts(before)} or ${hasTexts(after)} then
    jsonb_build_array(e.salt, e.reason, ${textsOf(before)}, ${textsOf(after)})::text end`.as('texts'),
] as const;
