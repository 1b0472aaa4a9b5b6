import type { AppType } from '../../app-types/app-type.ts'
import { foreignTypeConfigs } from '../../app-types/type-config.ts'
import { invalidInput } from '../../domain/errors.ts'

/** Throws for the configuration of another type. */
export function checkTypeConfig(type: AppType, input: object): void {
  const problems = foreignTypeConfigs(type, input).map(({ field }) => {
    return { field, message: `is not used by ${type.title} apps` }
  })
  if (problems.length > 0) throw invalidInput(problems)
}
