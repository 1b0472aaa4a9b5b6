import { z } from 'zod'

/** What a process of Berth says of itself to others on the same data directory. */
export const ABOUT = z.object({
  pid: z.number(),
  roles: z.array(z.string()),
  /** Those that it listens on. */
  ports: z.array(z.number()),
  apiUrl: z.string().nullable(),
  ingressUrl: z.string().nullable(),
  isStopping: z.boolean(),
})

export type About = z.infer<typeof ABOUT>

/** In a sentence: which process it is, and where it can be found. */
export function describe({ pid, roles, apiUrl, ingressUrl }: About): string {
  const places = [apiUrl && `API ${apiUrl}`, ingressUrl && `apps ${ingressUrl}`].filter(Boolean).join(', ')
  return `process ${pid} (${roles.join(', ')})${places ? `: ${places}` : ''}`
}
