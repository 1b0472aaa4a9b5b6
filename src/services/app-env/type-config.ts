import type { AppType } from '../../app-types/app-type.ts'
import { typeConfigProblems } from '../../app-types/type-config.ts'
import { invalidInput } from '../../domain/errors.ts'

/** Throws for the configuration of another type: it would be stored and never read. */
export function checkTypeConfig(type: AppType, input: object): void {
  const problems = typeConfigProblems(type, input)
  if (problems.length > 0) throw invalidInput(problems)
}
