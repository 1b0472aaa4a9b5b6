// Creates an app, deploys it, waits, reads its log and deletes it, through REST. Types come from /openapi.json.
import createClient from 'openapi-fetch'
import type { components, paths } from './openapi.d.ts'
import { image, pause, port, token, url } from './settings.ts'

const berth = createClient<paths>({ baseUrl: `${url}/api/public/v1`, headers: { Authorization: token } })

type Problem = components['schemas']['Problem']
type Status = components['schemas']['AppEnvStatus']

/** The body of an answer, or an error that says what Berth says. */
function must<Body>({ data, error }: { data?: Body; error?: Problem }): Body {
  if (error) throw new Error(`${error.code}: ${error.message}`)
  if (data === undefined) throw new Error('An answer without a body')
  return data
}

async function ended(appEnvId: string): Promise<NonNullable<Status['latestDeployment']>> {
  for (;;) {
    const { latestDeployment } = must(await berth.GET('/app-env/status', { params: { query: { appEnvId } } }))
    if (latestDeployment?.isFailed) throw new Error(`${latestDeployment.reason}: ${latestDeployment.message}`)
    if (latestDeployment?.isSuccess) return latestDeployment
    await pause()
  }
}

const { accountId } = must(await berth.GET('/account'))
const { appId } = must(
  await berth.POST('/app', { body: { name: 'Typed REST', accountId, port, useImage: true, image } }),
)
const { appEnvId } = must(
  await berth.POST('/app-env', { body: { name: 'production', accountId, appId, region: 'local' } }),
)

const header = { Prefer: 'wait=60', 'Idempotency-Key': `deploy-${appEnvId}` }
const accepted = must(await berth.POST('/app-env/deploy-image', { params: { header }, body: { appEnvId, image } }))
console.log(accepted.message)

const deployment = await ended(appEnvId)
const { status } = must(await berth.GET('/app-env/status', { params: { query: { appEnvId } } }))
console.log(`version ${deployment.version} is ${deployment.status}, the environment is ${status}`)

/** Lines reach the log a moment after the program wrote them. */
async function firstLines(tries = 20) {
  const { logs } = must(await berth.GET('/logs', { params: { query: { appEnvId, size: 10 } } }))
  if (logs.length > 0 || tries === 0) return logs
  await pause()
  return firstLines(tries - 1)
}

const logs = await firstLines()
for (const { timestamp, stream, message } of logs) console.log(`${timestamp} ${stream} ${message}`)

const { message } = must(await berth.DELETE('/app', { params: { query: { appId } } }))
console.log(message)
