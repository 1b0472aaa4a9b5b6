import { z } from 'zod'
import { atLeastOneOf } from '../../calls/alternatives.ts'
import { appEnvTarget, flag, MAX_TEXT_LENGTH, name, pasted } from '../../calls/input.ts'
import { BRANCH_NAME_RULE, isBranchName } from '../../domain/branch-name.ts'
import type { FieldProblem } from '../../domain/errors.ts'
import { Z_CLOUD_SIZES, zCloudsOf } from '../../domain/resources.ts'
import { appEnvHealthCheckFields } from '../health-check/health-check-input.ts'
import { diskOfAny } from '../volume/volume-input.ts'

const sizes = Z_CLOUD_SIZES.join(', ')

export const zClouds = z
  .number()
  .refine((size) => (Z_CLOUD_SIZES as readonly number[]).includes(size), `must be one of ${sizes}`)
  .describe(`CPU and memory of one container, in zClouds: ${sizes}.`)

export const cpu = z.number().min(0.1).max(64).describe('CPU of one container, in zCPU. Together with memory.')

export const memory = z
  .number()
  .int()
  .min(64)
  .max(65_536)
  .describe('Memory of one container, in MB. Together with cpu.')

export const containers = z.number().int().min(1).describe('Number of containers.')

export const branch = pasted()
  .max(MAX_TEXT_LENGTH)
  .describe('Git branch. Required when the app builds from GitHub.')
  .refine((name) => name === '' || isBranchName(name), BRANCH_NAME_RULE)

const applyImmediately = flag('Whether to deploy the changes at once, instead of leaving them pending.').default(false)
const whole = (fallback: number, min: number, max: number, about: string) =>
  z.number().int().min(min).max(max).default(fallback).describe(about)

export const resourcesInput = z.strictObject({
  ...appEnvTarget,
  ...atLeastOneOf({
    zClouds: zClouds.optional(),
    cpu: cpu.optional(),
    memory: memory.optional(),
    disk: diskOfAny.optional(),
  }),
  applyImmediately,
})

const autoScaling = z
  .strictObject({
    enabled: flag('Let the number of containers follow the load.').default(true),
    min: whole(1, 1, 100, 'Minimum number of containers.'),
    max: whole(3, 1, 100, 'Maximum number of containers.'),
    cpuPercent: whole(70, 1, 100, 'Target CPU use, in percent.'),
    memoryPercent: z.number().int().min(1).max(100).optional().describe('Target memory use, in percent.'),
    upWindowSeconds: whole(60, 10, 3600, 'Time above the target before containers are added.'),
    downWindowSeconds: whole(300, 10, 86_400, 'Time below the target before containers are removed.'),
  })
  .refine(({ min, max }) => min <= max, { path: ['min'], message: 'must be at most max' })
  .describe('How the number of containers follows the load.')

export const scalingInput = z.strictObject({
  ...appEnvTarget,
  ...atLeastOneOf({ containers: containers.optional(), autoScaling: autoScaling.nullable().optional() }),
  applyImmediately,
})

export const branchInput = z.strictObject({
  ...appEnvTarget,
  gitBranch: pasted()
    .min(1)
    .max(250)
    .refine(isBranchName, BRANCH_NAME_RULE)
    .describe('Git branch that the environment is built from.'),
  applyImmediately,
})

export const nameInput = z.strictObject({ ...appEnvTarget, name: name('environment'), applyImmediately })

export const healthcheckInput = z.strictObject({ ...appEnvTarget, ...appEnvHealthCheckFields, applyImmediately })

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
