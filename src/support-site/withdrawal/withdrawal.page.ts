import { readJob } from '../../import-jobs/index.ts';
import {
  readWithdrawal,
  readWithdrawalList,
  withdrawAccountAsOperator,
  withdrawJob,
  withdrawWave,
} from '../../withdrawal/index.ts';
import {
  findWithdrawableWave,
  readWithdrawalApproval,
  WITHDRAWAL_NEEDS_APPROVAL,
  type WithdrawableWave,
} from '../../waves/index.ts';
import type { WithdrawalPreview, WithdrawalView } from '../../withdrawal/withdrawal.schema.ts';
import { badge, code, count, link, linkAway, moment, accountLink } from '../frame/cells.ts';
import { reason, reasonForm, type Field } from '../frame/forms.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import { accepted, done, handler, page, polledPart, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, jobPath, JOBS, wavePath, WAVES, withdrawalPath } from '../frame/paths.ts';
import { livePart, loadedPart, pairs, table } from '../frame/parts.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import type { Reply } from '../../platform/http/route.ts';

const WITHDRAWAL = '/withdrawals/:withdrawal';
const MAY_WITHDRAW = { action: 'account.withdraw' } as const;
const SUBJECTS = [
  ['/accounts/:supplier/:external/withdraw', ofAccount],
  [`${JOBS}/:job/withdraw`, ofJob],
  [`${WAVES}/:wave/withdraw`, ofWave],
] as const;

/** Withdrawals: previews with the form that starts one, of an account, a job and a wave, and the progress of each. */
export const withdrawalPages = [
  ...SUBJECTS.flatMap(([path, subjectOf]) => [
    page(path, async (request) => showForm(request, await subjectOf(request)), MAY_WITHDRAW),
    page(`${path}/preview`, async (request) => showPreview(request, await subjectOf(request)), {
      ...MAY_WITHDRAW,
      isLong: subjectOf !== ofAccount,
    }),
    handler(`${path}/start`, MAY_WITHDRAW.action, async (request) => start(request, await subjectOf(request))),
  ]),
  page(WITHDRAWAL, showWithdrawal),
  page(`${WITHDRAWAL}/kept`, (request) => downloadList(request, 'kept'), { isLong: true }),
  page(`${WITHDRAWAL}/businesses`, (request) => downloadList(request, 'businesses'), { isLong: true }),
  polledPart(`${WITHDRAWAL}/progress`, progressPart),
];

/** The accounts that a page is about. */
interface Subject {
  /** The page of the account, job or wave. */
  at: string;
  name: string;
  /** Shown instead of the form that starts the withdrawal. */
  missing?: Html | undefined;
  /** Calls the operation of the API. */
  call(body: object): Promise<Reply | Refused>;
}

function ofAccount(request: PageRequest): Subject {
  const { supplier = '', external = '' } = request.params;
  return {
    at: accountPath(supplier, external),
    name: t('the account {number}', { number: `${supplier} ${external}` }),
    call: (body) => withdrawAccountAsOperator(request, request.actor, request.params, body),
  };
}

async function ofJob(request: PageRequest): Promise<Subject> {
  const { job } = accepted(await readJob(request.database, request, { viewer: undefined, causesMax: 0 }));
  return {
    at: jobPath(job.job_id),
    name: t('the accounts of {name}', { name: job.name ?? t('the import job') }),
    call: (body) => withdrawJob(request, request.actor, job.job_id, body, undefined),
  };
}

async function ofWave(request: PageRequest): Promise<Subject> {
  const id = request.params['wave'] ?? '';
  const found = await findWithdrawableWave(request.database, id, undefined);
  const at = wavePath(id);
  const call = (body: object) => withdrawWave(request, request.actor, id, body, undefined);
  if (isRefused(found) && found.code === 'wave_status_forbids') {
    return { at, name: t('the accounts of the wave'), missing: waiting(translated(found.detail ?? '')), call };
  }
  const { wave } = accepted(found);
  return {
    at,
    name: t('the accounts of {name}', { name: wave.name }),
    missing: await missingApproval(request, wave),
    call,
  };
}

const waiting = (words: Part) => html`<p class="flash flash-wait">${words}</p>`;

async function missingApproval(request: PageRequest, wave: WithdrawableWave['wave']): Promise<Html | undefined> {
  if (wave.status === 'WITHDRAWING') return undefined;
  const at = wavePath(wave.id);
  const approval = await readWithdrawalApproval(request.database, wave);
  const needed = translated(WITHDRAWAL_NEEDS_APPROVAL);
  if (approval === 'requested') {
    const asked = html`${needed} ${t('Approval is requested.')} ${link(`${at}#approval`, t('The request'))}`;
    return waiting(asked);
  }
  if (approval !== 'missing') return undefined;
  return html`${waiting(needed)}
  ${reasonForm(request, { action: `${at}/request-withdrawal-approval`, button: t('Ask for approval') })}`;
}

const businessesField = (): Field => ({
  label: t('Businesses that no other account uses'),
  name: 'withdraw_businesses',
  value: '',
  options: [
    ['', t('Keep the businesses')],
    ['yes', t('Withdraw unused businesses')],
  ],
});

/** Shows the page first, because the preview of a large job or wave takes seconds. */
function showForm(request: PageRequest, { at, name, missing }: Subject): PageAnswer {
  const preview = `${at}/withdraw/preview`;
  const body = html`<p>
      ${t('Withdrawn accounts are deleted with everything that was created with them, and are staged again with the same data. Their numbers are never given again.')}
      ${link(at, t('Back'))}
    </p>
    ${loadedPart(preview, t('Open the preview on a separate page'), t('Checking the accounts.'))}
    ${
      missing ??
      reasonForm(request, {
        action: `${at}/withdraw/start`,
        button: t('Withdraw'),
        tone: 'danger',
        fields: [reason(true), businessesField()],
        ask: t('Withdraw {name}? Accounts with an obstacle are kept.', { name }),
      })
    }`;
  return { title: t('Withdraw {name}', { name }), body };
}

/** The call needs a reason, which a dry run does not store. */
async function showPreview(request: PageRequest, { name, call }: Subject): Promise<PageAnswer> {
  const reply = await call({ reason: 'preview', dry_run: true });
  const fragment = isRefused(reply)
    ? waiting(reply.detail === undefined ? t('The accounts cannot be withdrawn.') : translated(reply.detail))
    : previewPart(reply.body as WithdrawalPreview);
  return request.isForPart ? { fragment } : { title: t('Preview: withdraw {name}', { name }), body: fragment };
}

function previewPart({ can_be_withdrawn: free, kept, obstacles, businesses }: WithdrawalPreview): Html {
  return html`${pairs([
    [t('Accounts that can be withdrawn'), count(free)],
    [t('Accounts that are kept'), count(kept)],
    [t('Businesses that no other account uses'), count(businesses.can_be_withdrawn)],
  ])}
  ${kept > 0 && obstaclesTable(obstacles)}`;
}

function obstaclesTable(obstacles: WithdrawalPreview['obstacles']): Html {
  return table(t('Obstacles'), obstacles, [
    [t('Code'), (one) => badge(one.code, 'warn')],
    [t('Accounts'), (one) => count(one.accounts), 'number'],
    [t('Reason'), (one) => translated(one.reason), 'advice'],
    [t('What to do'), (one) => translated(one.what_to_do), 'advice'],
    [t('Examples'), (one) => one.examples.map((external) => html`${code(external)} `)],
  ]);
}

async function start(request: PageRequest, { call }: Subject): Promise<PageAnswer> {
  const { withdraw_businesses: businesses, ...fields } = fieldsIn(request.form);
  const { body } = accepted(await call({ ...fields, withdraw_businesses: businesses === 'yes' }));
  const { withdrawal_id: id } = body as { withdrawal_id: string };
  return done(withdrawalPath(id), t('The withdrawal is running.'));
}

async function showWithdrawal(request: PageRequest): Promise<PageAnswer> {
  return { title: t('Withdrawal'), body: await progressPart(request) };
}

/** A complete list of a withdrawal, one JSON line per item. */
async function downloadList(request: PageRequest, list: 'kept' | 'businesses'): Promise<PageAnswer> {
  const id = request.params['withdrawal'] ?? '';
  const { body } = accepted(await readWithdrawalList(request.lists, list, id, request.viewer));
  return { download: `withdrawal-${id}-${list}.ndjson`, type: 'application/x-ndjson', content: body };
}

async function progressPart(request: PageRequest): Promise<Html> {
  const view = accepted(await readWithdrawal(request.database, request.params['withdrawal'] ?? '', request.viewer));
  const isRunning = view.status === 'RUNNING';
  const from = isRunning ? `${withdrawalPath(view.withdrawal_id)}/progress` : undefined;
  return livePart({ id: 'withdrawal', from, everySeconds: 2 }, withdrawalPart(view, request));
}

function withdrawalPart(view: WithdrawalView, { runAddress }: PageRequest): Html {
  const run = runAddress(view.workflow_id);
  const at = withdrawalPath(view.withdrawal_id);
  return html`<p>
      ${badge(translated(view.status), view.status === 'COMPLETED' ? 'good' : 'warn')}
      ${run !== undefined && linkAway(run, t('Open the run'))}
    </p>
    ${pairs([
      [t('Accounts'), subjectLink(view)],
      [t('Withdrawn'), count(view.withdrawn)],
      [t('Kept'), count(view.kept)],
      [t('Requested by'), translated(view.requested_by)],
      [t('Reason'), view.reason],
      [t('Started'), moment(view.created_at)],
      [t('Ended'), view.ended_at !== null && moment(view.ended_at)],
    ])}
    ${
      view.businesses.length > 0 &&
      html`${table(t('Businesses of the withdrawn accounts'), view.businesses, [
          [t('Outcome'), ({ outcome }) => badge(translated(outcome)), 'row'],
          [t('Businesses'), ({ businesses }) => count(businesses), 'number'],
          [t('Meaning'), ({ description }) => translated(description), 'advice'],
          [t('Examples'), ({ examples }) => examples.map((external) => html`${code(external)} `)],
        ])}
        <p>${link(`${at}/businesses`, t('All businesses as NDJSON'))}</p>`
    }
    ${
      view.obstacles.length > 0 &&
      html`${obstaclesTable(view.obstacles)}
        <p>${link(`${at}/kept`, t('All kept accounts as NDJSON'))}</p>`
    }
    ${
      view.deleted_rows.length > 0 &&
      table(t('Deleted rows'), view.deleted_rows, [
        [t('Table'), ({ table: name }) => code(name)],
        [t('Rows'), ({ rows }) => count(rows), 'number'],
      ])
    }`;
}

function subjectLink(view: WithdrawalView): Html {
  const { import_supplier: supplier, external_account_number: external, job_id: job, wave_id: wave } = view;
  if (wave !== null) return link(wavePath(wave), code(`waves/${wave}`));
  if (job !== null) return link(jobPath(job), code(job));
  return accountLink(supplier, external ?? '');
}
