import { hash } from 'node:crypto';
import { accountPayloadSchema } from '../../accounts/account-payload.schema.ts';
import type { SchemaNode } from '../../platform/validation/schema-node.ts';
import { accountFields, accountLists, statementMembers, transactionList } from './account-form.rules.ts';
import { planForm, type HashOfValue } from './accepted-items.rules.ts';
import { completeFields, completeLists, type Item, acceptedValue } from './form.rules.ts';
import { HASH_BYTES } from './kept-hashes.rules.ts';

const hashOfValue: HashOfValue = (member, value) =>
  hash('sha256', value === undefined ? member : `${member}\n${value}`, 'hex').slice(0, HASH_BYTES * 2);

/** The hashes of a statement that was sent in its own request. */
export function hashesOfStatement(statement: Item): Buffer {
  const hashes = statementMembers.map(({ member, form }) =>
    hashOfValue(member, acceptedValue(form, statement[member])),
  );
  return Buffer.from(hashes.join(''), 'hex');
}

/** The form of account payloads. */
const payload = accountPayloadSchema as SchemaNode;
export const accountForm = planForm(
  completeFields(payload, accountFields, accountLists),
  completeLists(payload, accountLists),
  hashOfValue,
);

/** The form of transactions, which are stored with their own copy. Each is hashed alone, so requests may split them in any way. */
export const transactionForm = planForm([], [transactionList], hashOfValue, 'transaction_id');
