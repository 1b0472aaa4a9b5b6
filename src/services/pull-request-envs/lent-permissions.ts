import type { Permission } from '../../domain/permissions.ts'

/**
 * Environments of pull requests are created with the rights of the user who turned them on, in the whole account. Users
 * who can write to the repository can read what its environments hold: copying secrets reveals them.
 */
export const lentPermissions = ({ copySecrets }: { copySecrets: boolean }): Permission[] => [
  ...(['appEnv:change', 'appEnv:operate'] as const),
  ...(copySecrets ? (['variable:reveal'] as const) : []),
]
