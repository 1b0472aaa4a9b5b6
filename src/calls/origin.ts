import type { CommandContext } from './command.ts'

/** Where clients reach the API: as this one did, unless the installation sets another address. */
export const originOf = ({ config, origin }: Pick<CommandContext, 'config' | 'origin'>): string =>
  (config.BERTH_API_URL ?? origin ?? `http://${config.HOST}:${config.PORT}`).replace(/\/$/, '')
