/** Public interface of the chain of the audit: sealing, anchors and verification. */
export { measureAuditChain, readAuditChain, viewOfAnchor } from './audit-chain-state.store.ts';
export { listAnchors } from './audit-anchor.store.ts';
export { keepAuditSealed, maintainAuditChain } from './keep-audit-chain.store.ts';
