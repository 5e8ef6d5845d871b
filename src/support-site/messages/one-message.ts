import { accountPath } from '../frame/paths.ts';
import type { AuditEntryView } from '../../access/index.ts';
import { unmatchedKinds, type MessageView } from '../../switching/market-message.schema.ts';
import { badge, fromNow, moment } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { auditTable } from '../frame/list-parts.ts';
import type { PageRequest } from '../frame/page.ts';
import { effectName, messagePath } from './message-list.ts';

const ADVICE = new Map([
  ['fits-nothing', 'A message may be missing: when it arrives, this one is applied automatically.'],
  ['unknown-account', 'When the account is created under this number, the message is applied automatically.'],
  ['unknown-point', 'The account has no such supply point: ask the network operator which one it means.'],
]);

/** One message with its effect and the forms that decide about it. */
export function messageBody(
  message: MessageView,
  audit: readonly AuditEntryView[],
  request: PageRequest,
  now: Date,
): Html {
  const isWaiting = unmatchedKinds.some((kind) => kind === message.effect);
  const advice = ADVICE.get(message.effect);
  return html`<p>
      ${badge(effectName(message.effect), isWaiting ? 'warn' : 'plain')} ${message.effect_detail} ${advice}
    </p>
    ${factsPart(message, now)}
    ${
      isWaiting &&
      request.may('market-message.decide') &&
      html`<div class="pair">${assignForm(message, request)} ${dismissForm(message, request)}</div>`
    }
    ${audit.length > 0 && auditPart(audit)}`;
}

function factsPart(message: MessageView, now: Date): Html {
  const { import_supplier: supplier, external_account_number: external, supply_point_identifier: point } = message;
  return html`<dl class="pairs">
    <dt>Outcome</dt>
    <dd>${badge(message.outcome ?? '')} ${message.reason}</dd>
    <dt>Occurred</dt>
    <dd>${moment(message.occurred_at)}</dd>
    <dt>Received</dt>
    <dd>${moment(message.received_at)}, ${fromNow(message.received_at, now)}</dd>
    <dt>Account</dt>
    <dd>
      ${
        message.effect === 'unknown-account'
          ? html`<code>${supplier}/${external}</code>`
          : html`<a href="${accountPath(supplier, external)}"><code>${supplier}/${external}</code></a>`
      }
    </dd>
    <dt>Supply point</dt>
    <dd>${point === null ? 'all supply points of the account' : html`<code>${point}</code>`}</dd>
  </dl>`;
}

function assignForm(message: MessageView, { formToken }: PageRequest): Html {
  return html`<form class="narrow" method="post" action="${messagePath(message.message_id)}/assign">
    <h2>Assign</h2>
    ${formToken}<label for="supplier">Import supplier</label>
    <input id="supplier" name="import_supplier" value="${message.import_supplier}" maxlength="32" required />
    <label for="external">External account number</label>
    <input
      id="external"
      name="external_account_number"
      value="${message.external_account_number}"
      maxlength="128"
      required
    />
    <label for="point">Supply point</label>
    <input id="point" name="supply_point_identifier" value="${message.supply_point_identifier}" maxlength="64" />
    <p class="fine">Leave empty for all supply points of the account.</p>
    <label for="assign-reason">Reason</label>
    <input id="assign-reason" name="reason" maxlength="1000" required />
    <button>Assign and apply</button>
  </form>`;
}

function dismissForm(message: MessageView, { formToken }: PageRequest): Html {
  return html`<form class="narrow" method="post" action="${messagePath(message.message_id)}/dismiss">
    <h2>Dismiss</h2>
    ${formToken}
    <p class="fine">A dismissed message is kept, but no longer listed as unmatched.</p>
    <label for="dismiss-reason">Reason</label>
    <input id="dismiss-reason" name="reason" maxlength="1000" required />
    <button class="danger">Dismiss</button>
  </form>`;
}

function auditPart(entries: readonly AuditEntryView[]): Html {
  return html`<h2>Audit</h2>
    ${auditTable('Audit of this message', entries)}`;
}
