/** Rate limits that both APIs share; without them nothing is counted. */
export interface OperationLimits {
  /** Counts an operation on an environment. Throws RATE_LIMITED. */
  consumeOperation(appEnvId: string): Promise<void>
  /** Counts a login that is tried at a registry. Throws RATE_LIMITED. */
  consumeLogin(accountId: string): Promise<void>
}
