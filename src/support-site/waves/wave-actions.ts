import type { Words } from '../../vocabulary/french-site.ts';
import type { WaveForPerson, WaveVerb } from '../../waves/index.ts';
import { link } from '../frame/cells.ts';
import { form, reason, type Field } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import type { PageRequest } from '../frame/page.ts';
import { nothing } from '../frame/parts.ts';
import { wavePath } from '../frame/paths.ts';
import { planFields } from './plan-form.ts';
import { accountsText } from './wave-parts.ts';

/** A form of the page of a wave. */
interface Action {
  /** The step that the state of the wave must allow. */
  step: WaveVerb | 'exclude' | 'move' | 'change-plan' | 'accept-differences';
  name: Words;
  /** What it does. */
  effect: (wave: WaveForPerson) => string;
  isReasonOptional?: true;
  fields?: (wave: WaveForPerson) => readonly Field[];
  hidden?: (wave: WaveForPerson) => Record<string, string>;
  tone?: 'danger';
  ask?: Words;
}

const numbers = (): Field => ({
  label: t('External account numbers, one per line'),
  name: 'accounts',
  rows: 3,
  value: '',
  required: true,
});
/** Binds a decision to the request that the person has seen. */
const requestSeen = ({ request }: WaveForPerson) => ({ requested_at: request?.requestedAt.toISOString() ?? '' });

const ACTIONS: readonly Action[] = [
  {
    step: 'approve',
    name: 'Approve the request',
    effect: ({ request }) => {
      const accounts = accountsText(request?.members ?? 0);
      return request?.purpose === 'withdrawal'
        ? t('Allows the withdrawal of exactly {accounts} in the present revision.', { accounts })
        : t('Allows the creation of exactly {accounts} in the present revision.', { accounts });
    },
    hidden: requestSeen,
  },
  {
    step: 'decline',
    name: 'Decline the request',
    effect: () => t('Ends the request. Approval can be asked for again.'),
    hidden: requestSeen,
    tone: 'danger',
  },
  {
    step: 'accept-differences',
    name: 'Accept the differences from the manifest',
    effect: () =>
      t('Exactly the totals that differ now no longer block a gate. The certificate names them with the reason.'),
  },
  {
    step: 'rehearse',
    name: 'Rehearse',
    effect: ({ view: { counts } }) =>
      t('Creates {accounts} and rolls back. Nothing is stored but the result.', {
        accounts: accountsText(counts.pending),
      }),
    isReasonOptional: true,
  },
  {
    step: 'request-approval',
    name: 'Ask for approval',
    effect: () => t('Another person decides. The approval expires if an account changes.'),
  },
  {
    step: 'create',
    name: 'Create the accounts',
    effect: ({ view: { counts, plan } }) => {
      const accounts = accountsText(counts.pending);
      const isLater = plan.create_from !== null && Date.parse(plan.create_from) > Date.now();
      return isLater
        ? t('Creates {accounts} when the plan begins.', { accounts })
        : t('Creates {accounts} now.', { accounts });
    },
    isReasonOptional: true,
    ask: 'Create the accounts of this wave?',
  },
  {
    step: 'resume',
    name: 'Resume the creation',
    effect: ({ jobs }) =>
      jobs.some(
        ({ status, goal, pausedBecause }) => status === 'PAUSED' && goal === 'CREATE' && pausedBecause === 'canary',
      )
        ? t('Accepts the result of the canary and creates the other accounts. Check the creation job first.')
        : t('Accepts the results so far and continues.'),
    isReasonOptional: true,
  },
  {
    step: 'pause',
    name: 'Pause the creation',
    effect: () => t('Accounts in progress are completed within seconds.'),
    isReasonOptional: true,
  },
  {
    step: 'exclude',
    name: 'Exclude the faulty records',
    effect: () =>
      t(
        'Leaves out all records that block a gate now: invalid, rejected, skipped or quarantined, failed in the last rehearsal, or failed lines of attachments.',
      ),
  },
  {
    step: 'move',
    name: 'Move accounts to this wave',
    effect: () => t('From waves that are still prepared. Moved accounts lose their rehearsal and approval.'),
    fields: () => [numbers()],
  },
  {
    step: 'change-plan',
    name: 'Change the plan',
    effect: ({ view: { approval, status } }) => {
      if (approval === null || approval.decision === 'declined') {
        return t('Changes dates, expected number, pace, canary and stop rules of the creation.');
      }
      return status === 'PREPARING' || status === 'CREATED'
        ? t('The approval names the plan, so that another approval is needed after the change.')
        : t(
            'The approval names the plan, so that another approval is needed after the change. The requested creation is withdrawn.',
          );
    },
    fields: planFields,
    hidden: ({ planRevision }) => ({ plan_revision: String(planRevision) }),
  },
  {
    step: 'sign-off',
    name: 'Sign the wave off',
    effect: () => t('Confirms that the migration of these accounts is complete. The wave can no longer be changed.'),
    ask: 'Sign this wave off? It can no longer be changed.',
  },
  {
    step: 'request-withdrawal-approval',
    name: 'Ask for approval of a withdrawal',
    effect: () => t('The creation was approved, so another person has to approve that its accounts are withdrawn.'),
  },
  {
    step: 'cancel',
    name: 'Cancel the wave',
    effect: () => t('Created accounts stay; the others no longer belong to a wave.'),
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
  return html`<h2>${t('Actions')}</h2>
    ${
      wave.isRequester &&
      html`<p class="flash flash-wait">
        ${t('You asked for approval, so another person has to decide. {request}', { request: link('#approval', 'The request') })}
      </p>`
    }
    ${allowed.length === 0 && !isWithdrawable && nothing(t('There is nothing to do for you now.'))}
    <div class="actions">${allowed.map((action) => actionForm(action, wave, request))}</div>
    ${isWithdrawable && html`<p>${link(`${wavePath(wave.view.wave_id)}/withdraw`, t('Withdraw the accounts of this wave'))}</p>`}`;
}

function actionForm(action: Action, wave: WaveForPerson, request: PageRequest): Html {
  const { step, name, effect, isReasonOptional, fields, hidden, tone, ask } = action;
  return html`<details class="action" name="action" id="action-${step}">
    <summary>${t(name)}</summary>
    ${form(request, {
      action: `${wavePath(wave.view.wave_id)}/${step}`,
      id: step,
      hidden: hidden?.(wave) ?? {},
      fields: [
        html`<p>${effect(wave)}</p>`,
        ...(fields?.(wave) ?? []),
        reason(!isReasonOptional, t(isReasonOptional ? 'Reason, for the audit (optional)' : 'Reason, for the audit')),
      ],
      button: t(name),
      ...(tone === undefined ? {} : { tone }),
      ask: ask && t(ask),
      look: 'plain',
    })}
  </details>`;
}
