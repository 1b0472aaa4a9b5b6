import type { AbsentEntry } from '../../builder/archive/source-tree.ts'
import type { SourceReader } from '../../builder/source-reader/source-reader.ts'
import type { BuildPlan } from '../../domain/build-plan.ts'
import type { BuildLimits } from '../../domain/build-resources.ts'
import type { VersionAttemptContext } from '../attempt/attempt-context.ts'
import type { BuildLog } from './build-log.ts'

/** What one build needs. */
export interface BuildContext {
  attempt: VersionAttemptContext
  plan: BuildPlan
  log: BuildLog
  /** Values of the BUILD variables, by name. */
  variables: Readonly<Record<string, string>>
  /** The build directory: empty, and for this attempt alone. */
  directory: string
}

/** A build whose source is there. */
export interface FetchedBuild extends BuildContext {
  /** The source's folder; null when the Dockerfile needs none. */
  tree: string | null
  /** What the source names, and its folder does not hold. */
  absent: readonly AbsentEntry[]
  reader: SourceReader
  limits: BuildLimits
}

/** A signal that also fires, with the given reason, when the time is up. */
export function within(signal: AbortSignal, seconds: number, reason: Error) {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(reason), seconds * 1000)
  return {
    signal: AbortSignal.any([signal, late.signal]),
    [Symbol.asyncDispose]: async () => clearTimeout(timer),
  }
}
