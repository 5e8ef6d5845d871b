import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  findStagedLines,
  keepCreatedLines,
  takePageToCreate,
} from '../../src/import-jobs/work-off/created-page.store.ts';
import { findClaims, findJudgedLines, keepLines } from '../../src/import-jobs/work-off/judged-page.store.ts';
import type { PreparedQuery } from '../../src/platform/database/prepared-query.ts';
import { createTestDatabase } from '../support/test-database.ts';

let clone: Awaited<ReturnType<typeof createTestDatabase>>;
let client: pg.Client;
beforeAll(async () => {
  clone = await createTestDatabase();
  client = new pg.Client(clone.url);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await clone.drop();
});

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Keeps the plans that queries get for good while the tables are empty, and runs none of them. */
async function plansOf(work: (planned: never) => Promise<unknown>): Promise<Map<string, PlanNode[]>> {
  const plans = new Map<string, PlanNode[]>();
  const planned = {
    run: async ({ name, text }: PreparedQuery) => {
      const { rows } = await client.query(`explain (generic_plan, format json) ${text}`);
      plans.set(name, nodesOf(rows[0]['QUERY PLAN'][0].Plan));
      return [];
    },
  };
  await work(planned as never);
  return plans;
}

const JOB = '019a0000-0000-7000-8000-000000000000';
const page = { uploadId: JOB, uploadPage: 1, firstLine: 1, physicalLines: 250 };
const line = { line: 1, key: 'A', claimsKey: true, state: 'staged' as const, number: null, errors: [], warnings: [] };

// A page would otherwise cost the more the more lines the job has: of 20,000 accounts the rate fell to a third.
test('no query of a page reads all lines of its job, however early its plan was made', async () => {
  const plans = await plansOf(async (planned) => {
    await takePageToCreate(planned, JOB);
    await findStagedLines(planned, JOB, page, 250);
    await keepCreatedLines(planned, JOB, page, [line]);
    await findJudgedLines(planned, JOB, { ...page, number: 1, lines: 250, judgedLines: 0, body: Buffer.of() });
    await findClaims(planned, JOB, ['A']);
    await keepLines(planned, JOB, { ...page, number: 1, lines: 250, judgedLines: 0, body: Buffer.of() }, [line], null);
  });
  const readsOfLines = [...plans].flatMap(([name, nodes]) =>
    nodes
      .filter((node) => /^(?:Seq|Index|Index Only|Bitmap Index) Scan$/.test(node['Node Type']))
      .filter((node) => `${node['Relation Name']} ${node['Index Name']}`.includes('import_job_line'))
      .map((node) => `${name}: ${node['Index Cond'] ?? 'all'}`),
  );
  expect(plans.size).toBe(8);
  expect(readsOfLines.filter((read) => !/\((?:line (?:>=|= ANY)|key = ANY)/.test(read))).toEqual([]);
  expect(readsOfLines.length).toBeGreaterThanOrEqual(6);
});
