import { Type } from 'typebox';
import { type Actor, recordAudit } from '../access/index.ts';
import { addToWave, type Joining } from '../account-import/index.ts';
import { linesOfPage } from '../import-jobs/page-lines.rules.ts';
import { type CutPage, PageCutter } from '../import-jobs/upload/page-cutter.rules.ts';
import type { Line } from '../import-jobs/work-off/line-kind.rules.ts';
import type { Database } from '../platform/database/database.ts';
import { parseJsonBody } from '../platform/http/json-body.ts';
import type { Reply, Route } from '../platform/http/route.ts';
import type { StreamedBody } from '../platform/http/streamed-body.ts';
import { createSlots } from '../platform/slots.ts';
import { membersIn } from '../vocabulary/loose-payload.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import type { WaveRecord } from './wave.entity.ts';
import { statusForbids, takesAccounts } from './wave.rules.ts';
import { wavePath } from './wave.schema.ts';
import { countWave, findWaveOfRequest, lockWave } from './wave.store.ts';

const MEDIA_TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];
/** Largest body: a million lines with a number each. */
const BODY_BYTES_MAX = 67_108_864;
const LINES_MAX = 1_000_000;
/** Lines that were not added and are listed in the response; more are only counted. */
const REJECTED_LISTED_MAX = 1_000;
const KEY_LENGTH_MAX = 128;
const RETRY_SECONDS = 5;

const rejectedLine = Type.Object(
  {
    line: Type.Integer({ examples: [17] }),
    external_account_number: Type.Union([Type.String({ examples: ['HOME-00004711'] }), Type.Null()]),
    code: Type.String({ examples: ['import_process_does_not_exist'] }),
    detail: Type.String({ examples: ['No account is staged with this number.'] }),
  },
  { title: 'RejectedMember' },
);

const addedReply = Type.Object(
  {
    added: Type.Integer({ examples: [12_397] }),
    already_members: Type.Integer({ examples: [0] }),
    rejected: Type.Integer({ examples: [1] }),
    rejected_lines: Type.Array(rejectedLine, { description: 'The first 1,000 of them.' }),
  },
  { title: 'AddedMembers' },
);

/** `PUT waves/<id>/accounts/`: adds staged accounts to a wave, as lines of JSON. May be repeated. */
export function addWaveAccounts({ database }: { database: Database }): Route {
  const slots = createSlots({ atOnce: 1, waitMs: 10_000, waitingMax: 50 });
  return {
    method: 'PUT',
    path: '/v1/data-import/waves/:wave/accounts',
    access: 'supplier',
    openApi: {
      operationId: 'addWaveAccounts',
      tag: 'Waves',
      summary: 'Add staged accounts to a wave',
      description:
        'One object `{"external_account_number": …}` per line; other members are ignored, so that a file of accounts may be sent. Lines that are not added are listed with their reason; the others are added. It may be repeated.',
      page: 'docs/suppliers/waves.md#members',
      path: wavePath,
      replies: { 200: { description: 'The accounts are added.', schema: addedReply } },
      refusals: ['wave_not_found', 'wave_status_forbids'],
    },
    streamedBody: { mediaTypes: MEDIA_TYPES, limitBytes: BODY_BYTES_MAX },
    handle: async (request) => {
      const wave = await findWaveOfRequest(database, request, request.caller);
      if (isRefused(wave)) return wave;
      const release = await slots.acquire(request.caller.organisation, request.hungUp());
      if (release === undefined) return refuse('throttled', { retryAfterSeconds: RETRY_SECONDS });
      try {
        return await addLines(database, wave, request.stream!, request.caller);
      } finally {
        release();
      }
    },
  };
}

const whyNot: Partial<Record<Joining, { code: string; detail: string }>> = {
  not_staged: { code: 'import_process_does_not_exist', detail: 'No account is staged with this number.' },
  imported: { code: 'account_import_process_already_imported', detail: 'The account has already been imported.' },
  in_another_wave: {
    code: 'account_in_another_wave',
    detail: 'The account belongs to another wave. Move it with a reason (move/).',
  },
};

const INVALID_LINE = {
  code: 'invalid',
  detail: 'The line is not an object with an external_account_number of 1 to 128 characters.',
};

interface AddedLines {
  added: number;
  already_members: number;
  rejected: number;
  rejected_lines: { line: number; external_account_number: string | null; code: string; detail: string }[];
}

/** Adds the accounts of a stream, a page per transaction. */
async function addLines(
  database: Database,
  wave: WaveRecord,
  content: StreamedBody,
  caller: Actor,
): Promise<Reply | Refused> {
  const cutter = new PageCutter();
  const sum: AddedLines = { added: 0, already_members: 0, rejected: 0, rejected_lines: [] };
  let firstLine = 1;
  const addAll = async (pages: Iterable<CutPage>): Promise<Refused | undefined> => {
    for (const page of pages) {
      if (cutter.lines > LINES_MAX) {
        return refuse('request_too_large', {
          detail: `Send at most ${LINES_MAX} lines, and the others in another request.`,
        });
      }
      const refused = await addPage(database, wave, linesOfPage(page.body, firstLine), sum);
      if (refused) return refused;
      firstLine += page.physicalLines;
    }
    return undefined;
  };
  for await (const chunk of content) {
    const refused = await addAll(cutter.push(chunk));
    if (refused) return refused;
  }
  const refused = await addAll(cutter.finish());
  if (refused) return refused;
  if (cutter.records === 0) {
    return refuse('parse_error', { detail: 'The body has no line. Send one JSON object per line.' });
  }
  if (sum.added > 0) {
    const { added, rejected } = sum;
    const subject = `waves/${wave.id}`;
    await recordAudit(database, caller, { action: 'wave.accounts_added', subject, after: { added, rejected } });
    await countWave(database, wave.id);
  }
  return { status: 200, body: sum };
}

/** Adds the accounts of a page, and counts what became of its lines. */
async function addPage(
  database: Database,
  wave: WaveRecord,
  page: readonly Line[],
  sum: AddedLines,
): Promise<Refused | undefined> {
  const lines = page.map(({ line, bytes }) => ({ line, external: numberIn(bytes) }));
  const externals = [...new Set(lines.flatMap(({ external }) => external ?? []))];
  const joined = await database.transaction(async (em) => {
    const { status } = (await lockWave(em, wave.id)) ?? wave;
    return takesAccounts(status) ? addToWave(em, wave, externals) : statusForbids(status, 'get accounts');
  });
  if (isRefused(joined)) return joined;
  const outcome = new Map(externals.map((external, index) => [external, joined[index]!]));
  for (const { line, external } of lines) {
    const joining = external === undefined ? undefined : outcome.get(external);
    if (joining === 'added') sum.added += 1;
    else if (joining === 'member') sum.already_members += 1;
    else {
      sum.rejected += 1;
      if (sum.rejected_lines.length < REJECTED_LISTED_MAX) {
        const why = (joining && whyNot[joining]) ?? INVALID_LINE;
        sum.rejected_lines.push({ line, external_account_number: external ?? null, ...why });
      }
    }
  }
  return undefined;
}

function numberIn(bytes: Buffer): string | undefined {
  const parsed = parseJsonBody(bytes);
  if (isRefused(parsed)) return undefined;
  const sent = membersIn(parsed.value)['external_account_number'];
  const external = typeof sent === 'string' ? sent.trim() : '';
  return external === '' || external.length > KEY_LENGTH_MAX || external.includes('\0') ? undefined : external;
}
