/** The operators of the French networks, and what each is asked for: a PRM at Enedis, a PCE at GRDF. */
export const networkOperators = ['enedis', 'grdf'] as const;

export type NetworkOperatorName = (typeof networkOperators)[number];

export const supplyTypeOfNetworkOperator = { enedis: 'ELECTRICITY', grdf: 'GAS' } as const satisfies Record<
  NetworkOperatorName,
  string
>;

/** Their names for people. */
export const networkOperatorTitles = { enedis: 'Enedis', grdf: 'GRDF' } as const satisfies Record<
  NetworkOperatorName,
  string
>;

/** Whether a network operator's call takes the customer's authorisation; GRDF keeps rights of access itself. */
export const takesCustomerAuthorisation = { enedis: true, grdf: false } as const satisfies Record<
  NetworkOperatorName,
  boolean
>;

/** Returns whether a text is the name of a network operator. */
export function isNetworkOperator(text: unknown): text is NetworkOperatorName {
  return networkOperators.some((name) => name === text);
}

/** Why a lookup ended as errored, where the reason is ours; a network operator's own codes begin with EPRM or EPCE. */
export const ownErroredReasons = {
  /** The network operator failed on this identifier alone for as long as the budget lasts. */
  givenUp: 'network_operator_keeps_failing',
  /** The batch was cancelled before the network operator was asked. */
  cancelled: 'batch_cancelled',
} as const;
