/** Public interface of switching. */
export { enqueueSwitches } from './enqueue-switch.store.ts';
export { switchWorkItemIdsSql, switchViewSql } from './switch-view.store.ts';
export { findUnmatchedMessage, findUnmatchedMessages, type UnmatchedMessage } from './unmatched-message.store.ts';
export { switchWorkItem } from './market-message.store.ts';
export { findAccountNumber } from './switch-account.store.ts';
export { decideClaim } from './change-switch.client.ts';
export {
  countDecisions,
  findClaims,
  findHeldPoints,
  hasHeldPoints,
  hasNotEndedSql,
  type Claim,
  type HeldPoints,
} from './supply-point-claim.store.ts';
export { setSwitchStatus } from './change-switch.client.ts';
export { matchLateMessages } from './market-message.store.ts';
export { assignMessage, dismissMessage } from './decide-message.client.ts';
export { listMessages, type MessageList } from './list-messages.client.ts';
export { findMessage } from './unmatched-message.store.ts';
export { findUnfinishedSwitches, findSwitchesUnderWay } from './unfinished-switches.store.ts';
export { listUnmatchedMessages } from './unmatched-message.store.ts';
