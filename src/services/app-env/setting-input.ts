import { z } from 'zod'
import { BRANCH_NAME_RULE, isBranchName } from '../../domain/branch-name.ts'
import { Z_CLOUD_SIZES } from '../../domain/resources.ts'
import { appEnvTarget, flag, headers, name, portNumber } from '../kernel/input.ts'
import { diskOfAny } from '../volume/volume-input.ts'

const sizes = Z_CLOUD_SIZES.join(', ')

export const zClouds = z
  .number()
  .refine((size) => (Z_CLOUD_SIZES as readonly number[]).includes(size), `must be one of ${sizes}`)
  .describe(`CPU and memory of one container, in zClouds: ${sizes}.`)

export const containers = z.number().int().min(1).describe('Number of containers.')

const applyImmediately = flag('Whether to deploy the changes at once, instead of leaving them pending.').default(false)
const whole = (fallback: number, min: number, max: number, about: string) =>
  z.number().int().min(min).max(max).default(fallback).describe(about)
const probePath = z
  .string()
  .max(1000)
  .regex(/^\/[\x21-\x7e]*$/, 'must begin with / and hold no spaces')

export const resourcesInput = z.strictObject({
  ...appEnvTarget,
  zClouds: zClouds.optional(),
  cpu: z.number().min(0.1).max(64).optional().describe('CPU of one container, in zCPU. Together with memory.'),
  memory: z
    .number()
    .int()
    .min(64)
    .max(65_536)
    .optional()
    .describe('Memory of one container, in MB. Together with cpu.'),
  disk: diskOfAny.optional(),
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
  containers: containers.optional(),
  autoScaling: autoScaling.nullable().optional(),
  applyImmediately,
})

export const branchInput = z.strictObject({
  ...appEnvTarget,
  gitBranch: z
    .string()
    .min(1)
    .max(250)
    .refine(isBranchName, BRANCH_NAME_RULE)
    .describe('Git branch that the environment is built from.'),
  applyImmediately,
})

export const nameInput = z.strictObject({ ...appEnvTarget, name: name('environment'), applyImmediately })

export const probe = z
  .strictObject({
    path: probePath.nullable().default(null).describe('Path that answers 2xx or 3xx. Null: a TCP connect is enough.'),
    port: portNumber('Port that the probe asks. Null: the port of the app.').nullable().default(null),
    headers: headers.default({}),
    initialDelaySeconds: whole(5, 0, 3600, 'Time from the start of a container to the first probe, in seconds.'),
    periodSeconds: whole(10, 1, 3600, 'Time between two probes, in seconds.'),
    timeoutSeconds: whole(5, 1, 60, 'Timeout of one probe, in seconds.'),
    failureThreshold: whole(12, 1, 100, 'Failures in a row that the probe tolerates.'),
  })
  .describe('Requests of one probe, and the failures that it tolerates.')

export const healthcheckInput = z.strictObject({
  ...appEnvTarget,
  path: probePath.nullable().optional().describe('Path of the environment’s health check. Null: the path of the app.'),
  port: portNumber('Port of the environment’s health check. Null: the port of the app.').nullable().optional(),
  headers: headers.nullable().optional(),
  readiness: probe
    .nullable()
    .optional()
    .describe('Probe that decides whether a container may take traffic. Null: the health check decides.'),
  liveness: probe.nullable().optional().describe('Probe that decides whether a container is restarted. Null: none is.'),
  startup: probe.nullable().optional().describe('Probe that the other probes wait for. Null: they begin at once.'),
  applyImmediately,
})
