import { Type, type Static } from 'typebox';
import { recordAudit, type Actor } from '../access/index.ts';
import { accountKeySchema, type AccountKey } from '../accounts/account-key.schema.ts';
import type { Database } from '../platform/database/database.ts';
import type { Reply } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { changePin as changePinInDatabase } from './note.store.ts';

/** Body of `PUT accounts/<supplier>/<external>/notes/<place>/pin/`. */
const pinSchema = Type.Object({ unpin_at: Type.Optional(Type.String({ format: 'date-time' })) });

const checkKey = compileOperatorBody<AccountKey>(accountKeySchema);
const checkBody = compileOperatorBody<Static<typeof pinSchema>>(pinSchema);

/** Who pins which note; an operator's call has these members, and so has a form of the support site. */
interface PinOrder {
  /** The note by its place among those of the account, from 0. */
  params: Readonly<Record<string, string>>;
  body: unknown;
  caller: Actor;
}

/** Pins a note, until `unpin_at` if there is one, or unpins it, with its row of the audit; what an operator's call answers then. */
export async function changePin(
  { database }: { database: Database },
  { params, body, caller }: PinOrder,
  action: 'note.pinned' | 'note.unpinned',
): Promise<Reply | Refused> {
  const sent = checkBody(body ?? {});
  if (isRefused(sent)) return sent;
  const key = checkKey({ import_supplier: params['supplier'], external_account_number: params['external'] });
  const place = params['note'] ?? '';
  if (isRefused(key) || !/^\d{1,9}$/.test(place)) return unknownNote();
  const after = await database.transaction(async (em) => {
    const isPinned = action === 'note.pinned';
    const pin = { isPinned, unpinAt: (isPinned && sent.unpin_at) || null };
    const changed = await changePinInDatabase(em, key, Number(place), pin);
    if (changed === undefined) return undefined;
    const subject = `accounts/${key.import_supplier}/${key.external_account_number}/notes`;
    await recordAudit(em, caller, { action, subject, ...changed });
    return changed.after;
  });
  return after === undefined ? unknownNote() : { status: 200, body: after };
}

function unknownNote(): Refused {
  return refuse('not_found', { detail: 'There is no such note on this account, or no such account.' });
}
