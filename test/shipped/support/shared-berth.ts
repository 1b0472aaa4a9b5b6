import { inject } from 'vitest'
import type { Address } from './berth.ts'
import { clientOf } from './client.ts'
import type { Wanted } from './setup.ts'
import { userOf } from './user.ts'

/** The Berth that files of this run share, started by the first that asks; with settings, another one. */
export type SharedBerth = Awaited<ReturnType<typeof sharedBerth>>

export async function sharedBerth(settings: Record<string, string> = {}) {
  const wanted: Wanted = { settings }
  const response = await fetch(inject('sharedBerths'), { method: 'POST', body: JSON.stringify(wanted) })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  const address = JSON.parse(text) as Address
  const client = clientOf(address)
  return { ...client, ...userOf(client), folder: address.folder }
}
