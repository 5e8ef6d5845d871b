/** French network operators. Enedis answers lookups of a PRM, GRDF those of a PCE. */
export const networkOperators = ['enedis', 'grdf'] as const;

export type NetworkOperatorName = (typeof networkOperators)[number];

export const supplyTypeOfNetworkOperator = { enedis: 'ELECTRICITY', grdf: 'GAS' } as const satisfies Record<
  NetworkOperatorName,
  string
>;

/** Display names. */
export const networkOperatorTitles = { enedis: 'Enedis', grdf: 'GRDF' } as const satisfies Record<
  NetworkOperatorName,
  string
>;

/** Whether requests to a network operator contain the customer's authorization. GRDF manages access rights itself. */
export const acceptsCustomerAuthorisation = { enedis: true, grdf: false } as const satisfies Record<
  NetworkOperatorName,
  boolean
>;

/** Returns whether a value is the name of a network operator. */
export function isNetworkOperator(text: unknown): text is NetworkOperatorName {
  return networkOperators.some((name) => name === text);
}

/** Our own reasons for errored lookups. Codes of network operators begin with EPRM or EPCE. */
export const ownErroredReasons = {
  /** The network operator failed for this identifier until the budget was exhausted. */
  givenUp: 'network_operator_keeps_failing',
  /** The batch was cancelled before the lookup was sent. */
  cancelled: 'batch_cancelled',
} as const;
