import { z } from 'zod'

const MAX_DISK_MB = 1024 * 1024

export const disk = z.number().int().min(1).max(MAX_DISK_MB).describe('Size of the volume in MB.')

const OF_THE_ENGINE = /^\/+(\.\/+)*(proc|sys|dev)(\/|$)/

export const volumePath = z
  .string()
  .max(1000)
  .regex(/^\/[^\0:]*[^\0:/]$/, 'must be an absolute path, without a colon and without a slash at the end')
  .refine((path) => !path.split('/').includes('..'), 'must not lead upwards')
  .refine((path) => !OF_THE_ENGINE.test(path), 'must not be /proc, /sys or /dev, or below: the engine mounts those')
  .describe('Path at which containers mount the volume.')

export const volume = z
  .strictObject({ path: volumePath, disk })
  .describe('Data that outlives containers. Each container of the environment mounts the same volume.')
