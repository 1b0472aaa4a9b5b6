import { hasSecretText, isSecretName } from '../../../src/domain/looks-secret.ts'
import { appEnvReferences } from '../../../src/domain/references.ts'

/** Of a new variable, until the person says otherwise. What only refers to another environment holds nothing itself. */
export const looksSecret = (name: string, value: string): boolean =>
  value !== '' && (hasSecretText(value) || (isSecretName(name) && appEnvReferences([value]).length === 0))
