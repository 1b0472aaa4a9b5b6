import { z } from 'zod'
import type { TypeConfig } from '../../domain/configuration.ts'
import type { RequestScaling } from '../../domain/request-scaling.ts'

const whole = (fallback: number, min: number, max: number, about: string) =>
  z.number().int().min(min).max(max).default(fallback).describe(about)

const fields = z.strictObject({
  minScale: whole(0, 0, 20, 'Containers kept while idle; at most maxScale. 0: scale to zero.'),
  maxScale: whole(3, 1, 100, 'Maximum number of containers.'),
  concurrency: whole(50, 1, 10_000, 'Requests that one container handles at a time.'),
  idleSeconds: whole(300, 1, 86_400, 'Idle time after which the app scales to minScale, in seconds.'),
  timeoutSeconds: whole(60, 1, 3600, 'Time in which a container must begin its answer to a request, in seconds.'),
})

export const functionConfig = fields
  .refine(({ minScale, maxScale }) => minScale <= maxScale, { path: ['minScale'], error: 'must be at most maxScale' })
  .describe('Scaling and timeout of a Function app.')

/** What a version was recorded with. One from before minScale was compared with maxScale keeps maxScale. */
export function scalingOf(recorded: TypeConfig): RequestScaling {
  const scaling = fields.parse(recorded?.functionConfig ?? {})
  return { ...scaling, minScale: Math.min(scaling.minScale, scaling.maxScale) }
}
