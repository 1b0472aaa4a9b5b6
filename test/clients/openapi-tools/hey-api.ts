// Creates an app, reads it, is refused, and deletes it, with the client that hey-api has generated.
import { client } from './generated/hey-api/client.gen.ts'
import { createApp, deleteApp, getAccount, getApp } from './generated/hey-api/sdk.gen.ts'

const { BERTH_URL, BERTH_TOKEN = '' } = process.env
client.setConfig({ baseUrl: `${BERTH_URL}/api/public/v1`, headers: { Authorization: BERTH_TOKEN } })

const { accountId } = (await getAccount({ throwOnError: true })).data
const body = { name: 'Generated', accountId, port: 80, useImage: true, image: 'nginx:alpine' }
const { appId } = (await createApp({ body, throwOnError: true })).data
const { data: app } = await getApp({ query: { appId }, throwOnError: true })
console.log(`hey-api: ${app.name} runs ${app.image} at ${app.port}`)

const { error } = await getApp({ query: { appId: 'app_none' } })
console.log(`hey-api: ${error?.status} ${error?.code}`)
await deleteApp({ query: { appId }, throwOnError: true })
