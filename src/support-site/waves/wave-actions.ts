import type { WaveForPerson, WaveVerb } from '../../waves/index.ts';
import { link } from '../frame/cells.ts';
import { form, reason, type Field } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import type { PageRequest } from '../frame/page.ts';
import { nothing } from '../frame/parts.ts';
import { wavePath } from '../frame/paths.ts';
import { planFields } from './plan-form.ts';
import { accountsText } from './wave-parts.ts';

/** A form of the page of a wave. */
interface Action {
  /** The step that the state of the wave must allow. */
  step: WaveVerb | 'exclude' | 'move' | 'change-plan' | 'accept-differences';
  name: string;
  /** What it does. */
  effect: (wave: WaveForPerson) => string;
  needsReason: boolean;
  fields?: (wave: WaveForPerson) => readonly Field[];
  hidden?: (wave: WaveForPerson) => Record<string, string>;
  tone?: 'danger';
  ask?: string;
}

const NUMBERS: Field = {
  label: 'External account numbers, one per line',
  name: 'accounts',
  rows: 3,
  value: '',
  required: true,
};
/** Binds a decision to the request that the person has seen. */
const requestSeen = ({ request }: WaveForPerson) => ({ requested_at: request?.requestedAt.toISOString() ?? '' });

const ACTIONS: readonly Action[] = [
  {
    step: 'approve',
    name: 'Approve the request',
    effect: ({ request }) =>
      `Allows the ${request?.purpose ?? 'creation'} of exactly ${accountsText(request?.members ?? 0)} in the present revision.`,
    needsReason: true,
    hidden: requestSeen,
  },
  {
    step: 'decline',
    name: 'Decline the request',
    effect: () => 'Ends the request. Approval can be asked for again.',
    needsReason: true,
    hidden: requestSeen,
    tone: 'danger',
  },
  {
    step: 'accept-differences',
    name: 'Accept the differences from the manifest',
    effect: () =>
      'Exactly the totals that differ now no longer block a gate. The certificate names them with the reason.',
    needsReason: true,
  },
  {
    step: 'rehearse',
    name: 'Rehearse',
    effect: ({ view: { counts } }) =>
      `Creates ${accountsText(counts.pending)} and rolls back. Nothing is stored but the result.`,
    needsReason: false,
  },
  {
    step: 'request-approval',
    name: 'Ask for approval',
    effect: () => 'Another person decides. The approval expires if an account changes.',
    needsReason: true,
  },
  {
    step: 'create',
    name: 'Create the accounts',
    effect: ({ view: { counts, plan } }) =>
      `Creates ${accountsText(counts.pending)}${plan.create_from !== null && Date.parse(plan.create_from) > Date.now() ? ' when the plan begins' : ' now'}.`,
    needsReason: false,
    ask: 'Create the accounts of this wave?',
  },
  {
    step: 'resume',
    name: 'Resume the creation',
    effect: ({ jobs }) =>
      jobs.some(
        ({ status, goal, pausedBecause }) => status === 'PAUSED' && goal === 'CREATE' && pausedBecause === 'canary',
      )
        ? 'Accepts the result of the canary and creates the other accounts. Check the creation job first.'
        : 'Accepts the results so far and continues.',
    needsReason: false,
  },
  {
    step: 'pause',
    name: 'Pause the creation',
    effect: () => 'Accounts in progress are completed within seconds.',
    needsReason: false,
  },
  {
    step: 'exclude',
    name: 'Exclude the faulty records',
    effect: () =>
      'Leaves out all records that block a gate now: invalid, rejected, skipped or quarantined, failed in the last rehearsal, or failed lines of attachments.',
    needsReason: true,
  },
  {
    step: 'move',
    name: 'Move accounts to this wave',
    effect: () => 'From waves that are still prepared. Moved accounts lose their rehearsal and approval.',
    needsReason: true,
    fields: () => [NUMBERS],
  },
  {
    step: 'change-plan',
    name: 'Change the plan',
    effect: ({ view: { approval, status } }) =>
      approval === null || approval.decision === 'declined'
        ? 'Changes dates, expected number, pace, canary and stop rules of the creation.'
        : `The approval names the plan, so that another approval is needed after the change.${status === 'PREPARING' || status === 'CREATED' ? '' : ' The requested creation is withdrawn.'}`,
    needsReason: true,
    fields: planFields,
    hidden: ({ planRevision }) => ({ plan_revision: String(planRevision) }),
  },
  {
    step: 'sign-off',
    name: 'Sign the wave off',
    effect: () => 'Confirms that the migration of these accounts is complete. The wave can no longer be changed.',
    needsReason: true,
    ask: 'Sign this wave off? It can no longer be changed.',
  },
  {
    step: 'request-withdrawal-approval',
    name: 'Ask for approval of a withdrawal',
    effect: () => 'The creation was approved, so another person has to approve that its accounts are withdrawn.',
    needsReason: true,
  },
  {
    step: 'cancel',
    name: 'Cancel the wave',
    effect: () => 'Created accounts stay; the others no longer belong to a wave.',
    needsReason: true,
    tone: 'danger',
    ask: 'Cancel this wave? Created accounts stay.',
  },
];

/** The actions that the state of the wave and the rights of the person allow. */
function allowedActions({ steps, isRequester }: WaveForPerson, { may }: PageRequest): Action[] {
  return ACTIONS.filter(({ step }) => {
    if (!steps.has(step)) return false;
    if (step === 'accept-differences') return may('manifest.accept');
    return step === 'approve' || step === 'decline' ? may('wave.approve') && !isRequester : may('wave.steer');
  });
}

/** The withdrawal has a page of its own, with a preview. */
function mayWithdraw({ steps }: WaveForPerson, { may }: PageRequest): boolean {
  return steps.has('withdraw') && may('account.withdraw');
}

/** What decides which forms are shown, so that they are replaced only then, and a reason that is being typed is kept. */
export function actionsShown(wave: WaveForPerson, request: PageRequest): string {
  const names = allowedActions(wave, request).map(({ step }) => step);
  const withdrawal = mayWithdraw(wave, request) ? ['withdraw'] : [];
  return [...names, ...withdrawal, requestSeen(wave).requested_at, wave.planRevision].join(' ');
}

/** The forms that change the wave, each behind its name. */
export function actionsPart(wave: WaveForPerson, request: PageRequest): Html {
  const allowed = allowedActions(wave, request);
  const isWithdrawable = mayWithdraw(wave, request);
  return html`<h2>Actions</h2>
    ${
      wave.isRequester &&
      html`<p class="flash flash-wait">
        You asked for approval, so another person has to decide. ${link('#approval', 'The request')}
      </p>`
    }
    ${allowed.length === 0 && !isWithdrawable && nothing('There is nothing to do for you now.')}
    <div class="actions">${allowed.map((action) => actionForm(action, wave, request))}</div>
    ${isWithdrawable && html`<p>${link(`${wavePath(wave.view.wave_id)}/withdraw`, 'Withdraw the accounts of this wave')}</p>`}`;
}

function actionForm(action: Action, wave: WaveForPerson, request: PageRequest): Html {
  const { step, name, effect, needsReason, fields, hidden, tone, ask } = action;
  return html`<details class="action" name="action" id="action-${step}">
    <summary>${name}</summary>
    ${form(request, {
      action: `${wavePath(wave.view.wave_id)}/${step}`,
      id: step,
      hidden: hidden?.(wave) ?? {},
      fields: [
        html`<p>${effect(wave)}</p>`,
        ...(fields?.(wave) ?? []),
        reason(needsReason, needsReason ? 'Reason, for the audit' : 'Reason, for the audit (optional)'),
      ],
      button: name,
      ...(tone === undefined ? {} : { tone }),
      ask,
      look: 'plain',
    })}
  </details>`;
}
