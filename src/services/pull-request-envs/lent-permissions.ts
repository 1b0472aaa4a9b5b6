import type { Permission } from '../../domain/permissions.ts'

/**
 * What pull requests are given is done with the rights of whoever turned it on, in the whole account. Whoever writes to
 * the repository can show what its environments hold: copying secrets reveals them.
 */
export const lentPermissions = ({ copySecrets }: { copySecrets: boolean }): Permission[] => [
  ...(['appEnv:change', 'appEnv:operate'] as const),
  ...(copySecrets ? (['variable:reveal'] as const) : []),
]
