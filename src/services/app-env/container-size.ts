import type { FieldProblem } from '../../domain/errors.ts'
import { zCloudsOf } from '../../domain/resources.ts'

interface SentSize {
  zClouds?: number | undefined
  cpu?: number | undefined
  memory?: number | undefined
}

/** The columns of a size, which is sent as zClouds, or as cpu and memory; null where nothing is sent. */
export function containerSize({ zClouds, cpu, memory }: SentSize, problems: FieldProblem[]) {
  const isExplicit = cpu !== undefined || memory !== undefined
  if (zClouds !== undefined && isExplicit)
    problems.push({ field: 'zClouds', message: 'is set instead of cpu and memory' })
  if (isExplicit && cpu === undefined) problems.push({ field: 'cpu', message: 'is required with memory' })
  if (isExplicit && memory === undefined) problems.push({ field: 'memory', message: 'is required with cpu' })
  if (cpu !== undefined && memory !== undefined)
    return { zClouds: zCloudsOf({ cpu, memoryMb: memory }), cpu, memoryMb: memory }
  return zClouds === undefined ? null : { zClouds, cpu: null, memoryMb: null }
}
