import type { Variable } from '../../database/generated/prisma/client.ts'
import type { SealedVariable } from '../../domain/configuration.ts'

/** An environment's variables, as a version records them. */
export const sealedVariablesOf = ({ variables }: { variables: readonly Variable[] }): SealedVariable[] =>
  variables.map(({ id, name, type, isSecret, sealedValue, fingerprint }) => {
    return { id, name, type, isSecret, sealedValue, fingerprint }
  })
