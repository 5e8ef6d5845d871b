// Classes of columns, for the `comment` of a column in its entity. Each column of a table with personal data has one of them, and
// src/personal-data/catalogue.rules.ts says what an erasure writes to the personal ones. Tables without a class contain no personal data.

/** The column can describe a person: an erasure replaces or deletes its value. */
export const PERSONAL = 'personal';
/** The column stays after an erasure: a key, a time, a code or an amount, which accounting, the contract or the audit needs. */
export const KEPT = 'kept';
