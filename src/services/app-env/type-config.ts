import type { AppType } from '../../app-types/app-type.ts'
import { type FieldProblem, invalidInput } from '../../domain/errors.ts'

/** jobConfig is for Jobs and functionConfig for Functions; anything else would be stored and never read. */
export function checkTypeConfig(type: AppType, input: { jobConfig?: unknown; functionConfig?: unknown }): void {
  const problems: FieldProblem[] = []
  for (const field of ['jobConfig', 'functionConfig'] as const) {
    if (input[field] !== undefined && type.config?.field !== field) {
      problems.push({ field, message: `is not used by ${type.title} apps` })
    }
  }
  if (problems.length > 0) throw invalidInput(problems)
}
