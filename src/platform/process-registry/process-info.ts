import { z } from 'zod'

/** What a process of Berth says of itself to others on the same data directory. */
export const PROCESS_INFO = z.object({
  /** The process to end in order to end it: under a supervisor, that one, which would start it again. */
  pid: z.number(),
  roles: z.array(z.string()),
  /** Those that it listens on. */
  ports: z.array(z.number()),
  apiUrl: z.string().nullable(),
  ingressUrl: z.string().nullable(),
  isStopping: z.boolean(),
})

export type ProcessInfo = z.infer<typeof PROCESS_INFO>

/** In a sentence: which process it is, and where it can be found. */
export function readProcessInfo({ pid, roles, apiUrl, ingressUrl }: ProcessInfo): string {
  const urls = [apiUrl && `API ${apiUrl}`, ingressUrl && `apps ${ingressUrl}`].filter(Boolean).join(', ')
  return `process ${pid} (${roles.join(', ')})${urls ? `: ${urls}` : ''}`
}
