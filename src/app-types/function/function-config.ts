import { z } from 'zod'

const whole = (fallback: number, min: number, max: number, about: string) =>
  z.number().int().min(min).max(max).default(fallback).describe(about)

export const functionConfig = z
  .strictObject({
    minScale: whole(0, 0, 20, 'Containers kept while idle.'),
    maxScale: whole(3, 1, 100, 'Maximum number of containers.'),
    concurrency: whole(50, 1, 10_000, 'Requests that one container handles at a time.'),
    idleSeconds: whole(300, 1, 86_400, 'Idle time after which the app scales to minScale, in seconds.'),
    timeoutSeconds: whole(60, 1, 3600, 'Timeout of a request, in seconds.'),
  })
  .describe('Scaling and timeout of a Function app.')
