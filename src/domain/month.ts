/** A month of UTC. */
export interface Month {
  /** `2026-11` */
  name: string
  from: Date
  /** Where the next one begins. */
  to: Date
}

export function monthOf(time: Date): Month {
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()]
  const from = new Date(Date.UTC(year, month, 1))
  return { name: from.toISOString().slice(0, 7), from, to: new Date(Date.UTC(year, month + 1, 1)) }
}
