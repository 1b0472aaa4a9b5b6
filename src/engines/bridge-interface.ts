/**
 * The interface of the bridge of an account, or a group, on the engine's machine. Its beginning is that of the installation's bridges
 * from all others, so that a firewall can name them together. At most 15 characters.
 */
export const bridgeInterface = (installationId: string, ownerId: string): string =>
  `${bridgePrefix(installationId)}${ownerId.slice(-8)}`

export const bridgePrefix = (installationId: string): string => `bt${installationId.slice(-5)}`
