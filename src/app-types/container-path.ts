import { z } from 'zod'

const OF_THE_ENGINE = /^\/+(\.\/+)*(proc|sys|dev)(\/|$)/

/** Where containers mount something: a volume, or a folder in memory. */
export const mountPath = z
  .string()
  .max(1000)
  .regex(/^\/[^\0:]*[^\0:/]$/, 'must be an absolute path, without a colon and without a slash at the end')
  .refine((path) => !path.split('/').includes('..'), 'must not lead upwards')
  .refine((path) => !OF_THE_ENGINE.test(path), 'must not be /proc, /sys or /dev, or below: the engine mounts those')
