/** Messages between the main process of the ingress and those that it starts. */
export interface Assignment {
  dataDir: string
  databaseUrl: string
}

export type ToProcess =
  | { type: 'begin'; assignment: Assignment }
  | { type: 'metrics'; question: number }
  | { type: 'stop' }

export type FromProcess =
  | { type: 'waiting' }
  | { type: 'ready'; port: number }
  | { type: 'metrics'; question: number; metrics: object[] }
  /** Why it cannot report requests, when that has changed. */
  | { type: 'reports'; problem: string | null }
  | { type: 'failed'; message: string; code: string | undefined }

/** How long requests may take to end when the ingress stops. */
export const DRAIN_SECONDS = 5
