/** The door of switching: creation owes the switch, operators' views show it. */
export { oweSwitches, type NewAccountToSwitch } from './enqueue-switch.store.ts';
export { owedSwitchIdsSql, switchViewSql } from './switch-view.store.ts';
export { findStrayMessage, findStrayMessages, type StrayMessage } from './unmatched-message.store.ts';
export { owedSwitch } from './market-message.store.ts';
export { findAccountNumber } from './switch-account.store.ts';
export {
  findHeldPoints,
  hasHeldPoints,
  hasNotEndedSql,
  HELD_POINTS_READ_MAX,
  type HeldPoints,
} from './supply-point-claim.store.ts';
export { takeUpMessages } from './match-late-messages.store.ts';
