// Classes of columns, used as the `comment` of a column in its entity. Each column of a table with personal data has one, and
// src/personal-data/catalogue.rules.ts defines what an erasure writes to personal columns. Tables without classes contain no personal data.

/** The column can describe a person. An erasure replaces or deletes its value. */
export const PERSONAL = 'personal';
/** An erasure keeps the column: a key, time, code or amount that accounting, the contract or the audit needs. */
export const KEPT = 'kept';
