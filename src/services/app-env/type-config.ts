import type { AppType } from '../../app-types/app-type.ts'
import { getAppType } from '../../app-types/app-types.ts'
import { engineOf, refusedFields } from '../../app-types/behaviours.ts'
import type { Engine } from '../../app-types/engines/engine.ts'
import { type EngineInput, engineProblems } from '../../app-types/engines/engine-problems.ts'
import { foreignTypeConfigs } from '../../app-types/type-config.ts'
import { type FieldProblem, invalidInput } from '../../domain/errors.ts'

const OF_SERVICES = ['dockerPresetVersion', 'disk', 'withPersistence', 'volumeId'] as const

type ServiceInput = EngineInput & { withPersistence?: boolean; volumeId?: string }

/** Throws for what the type of an environment does not use, and for what its engine does not accept. */
export function checkTypeFields(
  type: AppType,
  app: { dockerPreset: string },
  input: object,
  presetVersion: string | null = null,
): void {
  const foreign = foreignTypeConfigs(type, input).map(({ field }) => {
    return { field, message: `is not used by ${type.title} apps` }
  })
  const problems = [...foreign, ...refusedFields(type, input), ...serviceProblems(engineOf(app, presetVersion), input)]
  if (problems.length > 0) throw invalidInput(problems)
}

/** Throws for what the type of an environment decides by itself. */
export function checkRefused(app: { type: string }, input: object): void {
  const problems = refusedFields(getAppType(app.type), input)
  if (problems.length > 0) throw invalidInput(problems)
}

function serviceProblems(engine: Engine | null, input: ServiceInput): FieldProblem[] {
  if (!engine)
    return OF_SERVICES.filter((field) => input[field] !== undefined).map((field) => {
      return { field, message: 'is only for managed services' }
    })
  const problems = engineProblems(engine, input)
  const unused = input.withPersistence === false ? (['disk', 'volumeId'] as const) : []
  const given = unused.filter((field) => input[field] !== undefined)
  return [
    ...problems,
    ...given.map((field) => ({ field, message: 'is not for withPersistence false: there is no volume' })),
  ]
}
