import type { ServiceStory } from './service-story.ts'
import { until } from './until.ts'

const LOOPBACK = ['127.0.0.0/8', '::1/128']
/** Addresses of documentation: nobody on this machine has one. */
const NOBODY = ['203.0.113.0/24']

async function allow({ cluster, main }: ServiceStory, allowedCidrs: string[], enabled = true): Promise<void> {
  await cluster.ok('PUT', '/app-env', { appEnvId: main.appEnvId, externalAccess: { enabled, allowedCidrs } })
}

/** By the port of the ingress, from the host: with the password, from an allowed address, while it is on. */
export async function reachFromHost(story: ServiceStory): Promise<void> {
  const { client } = story
  if ((await story.credentials()).externalUrl !== null) throw new Error('It has an external URL that nobody asked for')
  await allow(story, LOOPBACK)
  const { externalUrl, password } = await story.credentials()
  if (externalUrl === null) throw new Error('It has no external URL')
  const read = () => story.askFromHost(client.fingerprint, externalUrl)
  const isServed = ({ code, stdout }: Awaited<ReturnType<typeof read>>) =>
    code === 0 && stdout.toString().trim() === story.rows
  await until('every row is read from the host', read, isServed, 60)
  const wrong = await story.askFromHost(client.fingerprint, externalUrl.replace(password, 'wrong'))
  if (wrong.code === 0) throw new Error('A wrong password was accepted from outside')
  await allow(story, NOBODY)
  await until('others are refused', read, ({ code }) => code !== 0, 60)
  await allow(story, LOOPBACK)
  await until('it is served again at the same address', read, isServed, 60)
  await allow(story, LOOPBACK, false)
  await until('nobody is served once it is off', read, ({ code }) => code !== 0, 60)
}
