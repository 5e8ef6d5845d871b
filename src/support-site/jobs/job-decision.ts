import { compareWithRehearsal, readRecords, type FoundJob, type RehearsalComparison } from '../../import-jobs/index.ts';
import { causeOf } from '../../import-jobs/results/cause.rules.ts';
import type { PauseReason } from '../../vocabulary/import-jobs.ts';
import { code, count, link, moment } from '../frame/cells.ts';
import { form, reason, type Field, type Form } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import type { PageRequest } from '../frame/page.ts';
import { table } from '../frame/parts.ts';
import { accountPath, jobPath } from '../frame/paths.ts';
import { causeCell, fittingTable } from './job-causes.ts';
import { recordsPath } from './job-records.page.ts';

/** A pause that a person ends: the question, and the button that continues. */
interface Question {
  asks: string;
  button: string;
  /** Whether the results so far are the evidence. */
  hasEvidence?: boolean;
}

const QUESTIONS: Readonly<Partial<Record<PauseReason, Question>>> = {
  canary: {
    asks: 'The canary is complete. May the job continue?',
    button: 'Approve the canary and continue',
    hasEvidence: true,
  },
  too_many_failures: {
    asks: 'The job reached its limit of failures. May it continue?',
    button: 'Accept the failures and continue',
    hasEvidence: true,
  },
  manifest_mismatch: {
    asks: 'The records differ from the manifest. May the job continue?',
    button: 'Accept the differences and continue',
  },
  key_revoked: { asks: 'The key that started the job was revoked. May the job continue?', button: 'Resume the job' },
  asked: { asks: 'The job was paused manually. May it continue?', button: 'Resume the job' },
};

/** The warning of an account whose supply point is on another account: its switch will wait for a decision. */
const CLAIM = 'supply_point_on_another_account';
/** With a larger share of failed or clashing records, the person types how many are expected. */
const HARMLESS_SHARE = 0.05;
const ACCOUNTS_SHOWN = 5;
const CAUSES_SHOWN = 10;

/** Whether a job waits for a decision. */
export function needsDecision({ job }: Pick<FoundJob, 'job'>): boolean {
  return questionOf({ job }) !== undefined;
}

function questionOf({ job: { paused_because: because } }: Pick<FoundJob, 'job'>): Question | undefined {
  return because === null ? undefined : QUESTIONS[because];
}

/** The figures of a canary, and what they come to for the whole job. */
interface Projection {
  done: number;
  /** Created records with a supply point that is also on another account. */
  claims: number;
  /** Estimate for the whole job of what has happened to some of the processed records. */
  ofAll(records: number): number;
  /** Records that are expected to fail. */
  failures: number;
  /** Whether all records are validated, so that the number of those with a cause is known. */
  isWhole: boolean;
  /** Records that are expected to fail or to clash; undefined if they are few. */
  risk: number | undefined;
}

/** Projects the results so far. Where a manifest made the job validate everything first, invalid records are known and not projected. */
function projectionOf({ job, causes }: Pick<FoundJob, 'job' | 'causes'>): Projection {
  const { accepted, succeeded, failed } = job.counts;
  const { judged, staged } = job.steps;
  const done = succeeded + failed;
  const isWhole = job.goal === 'CREATE' && job.selection === 'uploaded' && judged >= accepted;
  const invalid = isWhole ? judged - staged : 0;
  const found = causes.filter((cause) => cause.is_warning && cause.code === CLAIM);
  const claims = Math.min(
    succeeded,
    found.reduce((sum, { records }) => sum + records, 0),
  );
  const tried = done - invalid;
  const ofAll = (records: number) => (tried <= 0 ? 0 : Math.round((records / tried) * (accepted - invalid)));
  const failures = invalid + ofAll(failed - invalid);
  const isHarmless = failed + claims <= done * HARMLESS_SHARE;
  return { done, claims, ofAll, failures, isWhole, risk: isHarmless ? undefined : failures + ofAll(claims) };
}

/** The decision that a job waits for, with its evidence; empty without one. */
export async function decisionPart(found: FoundJob, request: PageRequest): Promise<Part> {
  const question = questionOf(found);
  if (question === undefined) return '';
  const { hasEvidence } = question;
  const projection = hasEvidence === true ? projectionOf(found) : undefined;
  const evidence = projection && (await evidencePart(found, projection, request));
  return html`<h2>Decision</h2>
    <p class="flash flash-wait">
      <strong>${question.asks}</strong> It waits since ${moment(found.pausedAt, request.now)}.
    </p>
    ${evidence}
    <div class="actions">${decisionForms(found, question, projection, request)}</div>`;
}

function decisionForms(
  { job }: FoundJob,
  { button, hasEvidence = false }: Question,
  projection: Projection | undefined,
  request: PageRequest,
): Part {
  const { job_id: id, paused_because: because, counts } = job;
  const at = jobPath(id);
  const formOf = (step: string, effect: string, more: Form) =>
    form(request, { id: step, ...more, fields: [html`<p>${effect}</p>`, ...(more.fields ?? [])] });
  const why = reason(true, 'Reason, for the audit');
  const risk = projection?.risk;
  const rest = count(counts.unprocessed);
  const accepts = because === 'manifest_mismatch';
  const mayContinue = accepts ? request.may('manifest.accept') : request.may('import-job.steer');
  const isWithdrawable = job.kind === 'accounts' && job.goal === 'CREATE' && counts.succeeded > 0;
  return [
    mayContinue &&
      formOf('continue', `Processes the other ${rest} records.`, {
        title: 'Continue',
        action: `${at}/${accepts ? 'accept-differences' : 'resume'}`,
        hidden: accepts ? {} : { seen: because },
        fields: [risk !== undefined && riskField(risk), reason(hasEvidence || accepts, why.label as string)],
        button,
      }),
    request.may('import-job.steer') &&
      formOf('cancel', `Keeps what is done. The other ${rest} records stay unprocessed.`, {
        title: 'Cancel',
        action: `${at}/cancel`,
        fields: [why],
        button: 'Cancel the job',
        tone: 'danger',
        ask: 'Cancel this job? Completed records are kept; the others stay unprocessed.',
      }),
    isWithdrawable &&
      request.may('import-job.steer') &&
      request.may('account.withdraw') &&
      formOf(
        'withdraw',
        `Cancels the job, and leads to the preview of the withdrawal of ${count(counts.succeeded)} accounts.`,
        {
          title: 'Withdraw',
          action: `${at}/cancel`,
          hidden: { next: 'withdraw' },
          fields: [why],
          button: 'Cancel and withdraw',
          tone: 'danger',
          ask: 'Cancel this job? Nothing is withdrawn before you confirm it on the next page.',
        },
      ),
  ];
}

function riskField(risk: number): Field {
  return {
    label: `Type ${count(risk)}, the number of records that will probably fail or need a decision`,
    name: 'expected',
    inputmode: 'numeric',
    required: true,
    autocomplete: 'off',
  };
}

/** Whether a person has typed the number of records that will probably fail or need a decision, where one has to. */
export function isRiskConfirmed(found: FoundJob, typed: string | undefined): boolean {
  if (questionOf(found)?.hasEvidence !== true) return true;
  const { risk } = projectionOf(found);
  return risk === undefined || typed?.replaceAll(/\D/g, '') === String(risk);
}

async function evidencePart(found: FoundJob, projection: Projection, request: PageRequest): Promise<Html> {
  const { job } = found;
  const rehearsal = job.kind === 'accounts' ? await compareWithRehearsal(request.lists, job.job_id) : undefined;
  const { records } = await readRecords(request.lists, job, { outcome: 'succeeded', after: 0, limit: ACCOUNTS_SHOWN });
  return html`${riskPart(found, projection)} ${figuresTable(found, projection, rehearsal)}
  ${job.kind === 'accounts' && html`<p>${rehearsalSentence(rehearsal)}</p>`}
  ${failuresTable(found, projection, rehearsal, request)}
  ${
    records.length > 0 &&
    html`<h3>${doneName(job)}: ${link(recordsPath(job.job_id, 'succeeded'), `all ${count(job.counts.succeeded)}`)}</h3>
      ${table('First succeeded records', records, [
        ['Line', ({ line }) => count(line), 'number'],
        [
          'Record',
          ({ key }) => (key !== null && job.kind === 'accounts' ? accountLink(job.import_supplier, key) : key),
          'row',
        ],
        ['Service number', ({ number }) => number !== null && code(number)],
        ['Warnings', ({ warnings }) => warnings.map((one) => html`${code(one.code)} `)],
      ])}`
  }`;
}

const accountLink = (supplier: string, key: string) => link(accountPath(supplier, key), code(key));
const doneName = ({ goal }: FoundJob['job']) => (goal === 'CREATE' ? 'Created' : 'Succeeded');

function riskPart({ job: { counts } }: FoundJob, { claims, risk, done }: Projection): Part {
  if (risk === undefined) return '';
  const [failed, clashing] = [
    counts.failed > 0 && `${count(counts.failed)} of ${count(done)} records failed.`,
    claims > 0 &&
      `${count(claims)} of ${count(counts.succeeded)} accounts have a supply point that is also on another account, so that an operator must decide on each of their switches.`,
  ];
  return html`<p class="flash flash-problem">
    <strong>${failed} ${clashing}</strong> If the job continues, expect about ${count(risk)} such records. Ask the
    supplier first.
  </p>`;
}

function figuresTable(
  { job }: FoundJob,
  { done, claims, failures, ofAll }: Projection,
  rehearsal: RehearsalComparison | undefined,
): Html {
  const { accepted, succeeded, failed } = job.counts;
  const at = (outcome: 'succeeded' | 'failed', cause?: string) =>
    recordsPath(job.job_id, outcome, { code: cause ?? null });
  const rows = [
    { name: doneName(job), of: succeeded, all: ofAll(succeeded), to: at('succeeded'), before: rehearsal?.succeeded },
    { name: 'Failed', of: failed, all: failures, to: at('failed'), before: rehearsal?.failed },
    { name: 'With a supply point on another account', of: claims, all: ofAll(claims), to: at('succeeded', CLAIM) },
  ];
  return html`<h3>
      ${job.paused_because === 'canary' ? 'Canary' : 'So far'}: ${count(done)} of ${count(accepted)} records
    </h3>
    ${fittingTable('Figures', rows, [
      ['Outcome', ({ name, to }) => link(to, name), 'row'],
      ['Records', ({ of }) => count(of), 'number'],
      [`Estimate for all ${count(accepted)}`, ({ all }) => `about ${count(all)}`, 'number'],
      rehearsal !== undefined && ['Rehearsal', ({ before }) => (before === undefined ? '–' : count(before)), 'number'],
    ])}`;
}

function rehearsalSentence(rehearsal: RehearsalComparison | undefined): Part {
  if (rehearsal === undefined) return 'There is no completed rehearsal of the same records to compare with.';
  const { jobId, endedAt, records, notRehearsed } = rehearsal;
  const missing = notRehearsed > 0 && html` ${count(notRehearsed)} of them were not rehearsed.`;
  return html`Compared with the ${link(jobPath(jobId), 'rehearsal')} of ${moment(endedAt)}: the same ${count(records)}
  records.${missing}`;
}

/** What failed, and how many records failed of it in the rehearsal; also causes that are gone. */
function failuresTable(
  { job, causes }: FoundJob,
  { ofAll, isWhole }: Projection,
  rehearsal: RehearsalComparison | undefined,
  request: PageRequest,
): Part {
  const ofRehearsal = new Map(rehearsal?.causes.map((one) => [`${one.code} ${one.place}`, one]));
  const failures = causes.filter((one) => !one.is_warning).slice(0, CAUSES_SHOWN);
  const gone = (rehearsal?.causes ?? []).filter(({ now }) => now === 0);
  const rows = [...failures, ...gone.map(({ code: cause, place }) => causeOf(cause, place))];
  if (rows.length === 0) return '';
  return html`<h3>What failed</h3>
    ${fittingTable('What failed', rows, [
      ['Cause', (one) => causeCell(one, request)],
      [
        'Records',
        ({ code: cause, place, records }) =>
          records === 0 ? '0' : link(recordsPath(job.job_id, 'failed', { code: cause, place }), count(records)),
        'number',
      ],
      !isWhole && ['Estimate', ({ records }) => `about ${count(ofAll(records))}`, 'number'],
      rehearsal !== undefined && [
        'Rehearsal',
        ({ code: cause, place }) => changeText(ofRehearsal.get(`${cause} ${place}`)),
        'number',
      ],
    ])}`;
}

function changeText(compared: RehearsalComparison['causes'][number] | undefined): string {
  if (compared === undefined) return 'new';
  const { now, before } = compared;
  if (before === 0) return 'new';
  if (now === 0) return `${count(before)}: gone`;
  if (now === before) return `${count(before)}: the same`;
  return now > before
    ? `${count(before)}: ${count(now - before)} more`
    : `${count(before)}: ${count(before - now)} fewer`;
}
