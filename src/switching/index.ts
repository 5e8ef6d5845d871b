/** Public interface of switching. */
export { decideClaim, setSwitchStatus } from './change-switch.client.ts';
export { assignMessage, dismissMessage } from './decide-message.client.ts';
export { enqueueSwitches } from './enqueue-switch.store.ts';
export { listMessages } from './decide-message.client.ts';
export { isUnmatched, type MessageView } from './market-message.schema.ts';
export { matchLateMessages } from './market-message.store.ts';
export { MarketMessage, type MarketMessageTable } from './switch.entity.ts';
export {
  countDecisions,
  findClaims,
  findHeldPoints,
  hasHeldPoints,
  hasNotEndedSql,
  isHeldSql,
  type Claim,
  type HeldPoints,
} from './supply-point-claim.store.ts';
export { findAccountNumber } from './switch-account.store.ts';
export { lockHeldOn, releaseUnclaimed } from './release-unclaimed.store.ts';
export { lockItems, wakeDueSwitches } from './switch-page.store.ts';
export { switchWorkItem } from './switch-step.store.ts';
export { switchWorkItemIdsSql, switchViewSql } from './switch-view.store.ts';
export { findUnfinishedSwitches } from './switch-step.store.ts';
export { findMessage, listUnmatchedMessages } from './market-message.store.ts';
