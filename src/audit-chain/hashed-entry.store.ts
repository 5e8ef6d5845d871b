import type { HashedEntry } from './audit-block.rules.ts';

/** Timestamps as they are hashed. */
export const timestampSql = (value: string): string =>
  `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Members with free text, which `erase_texts_of_audit` removes from the states before and after. */
const TEXTS = `'{reason,skip_reason,detail}'::text[]`;
const isObject = (column: string) => `jsonb_typeof(e.${column}) = 'object'`;
const hasTexts = (column: string) => `coalesce(${isObject(column)} and e.${column} ?| ${TEXTS}, false)`;
const keptSql = (column: string) =>
  `case when ${isObject(column)} then e.${column} - ${TEXTS} else e.${column} end::text`;
const textsSql = (column: string) =>
  `case when ${hasTexts(column)} then (select jsonb_object_agg(key, value) from jsonb_each(e.${column}) where key = any (${TEXTS})) end`;

/** Columns of an entry `e` of `audit_entry` as they are hashed. An owner of the table may have stored any JSON, so nothing may fail on it. */
export const HASHED_ENTRY = `
  e.id::text, ${timestampSql('e.at')} as at, e.actor_key_id::text as "actorKeyId", e.actor_name as "actorName", e.action, e.subject,
  ${keptSql('before')} as before, ${keptSql('after')} as after, e.reason is not null as "hasReason",
  case when e.reason is not null or ${hasTexts('before')} or ${hasTexts('after')} then
    jsonb_build_array(e.salt, e.reason, ${textsSql('before')}, ${textsSql('after')})::text end as texts`;

/** A row of `HASHED_ENTRY`. */
export type HashedEntryRow = HashedEntry & Record<string, unknown>;
