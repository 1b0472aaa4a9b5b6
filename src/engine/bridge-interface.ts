/**
 * The interface of an account's bridge on the engine's machine. Its beginning tells an installation's bridges apart
 * from all others, so that a firewall can name them together. At most 15 characters.
 */
export const bridgeInterface = (installationId: string, accountId: string): string =>
  `${bridgePrefix(installationId)}${accountId.slice(-8)}`

export const bridgePrefix = (installationId: string): string => `bt${installationId.slice(-5)}`
