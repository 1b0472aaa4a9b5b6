// The same with the client that orval has generated.
import { createApp, deleteApp, getAccount, getApp } from './generated/orval.ts'

const options = { headers: { Authorization: process.env.BERTH_TOKEN ?? '', 'Content-Type': 'application/json' } }

const account = await getAccount({}, options)
if (account.status !== 200) throw new Error(`No account: ${account.status}`)
const { accountId } = account.data
const wanted = { name: 'Generated', accountId, port: 80, useImage: true, image: 'nginx:alpine' }
const created = await createApp(wanted, {}, options)
if (created.status !== 200) throw new Error(`No app: ${created.data.detail}`)
const { appId } = created.data
const found = await getApp({ appId }, options)
if (found.status === 200) console.log(`orval: ${found.data.name} runs ${found.data.image} at ${found.data.port}`)

const refused = await getApp({ appId: 'app_none' }, options)
if (refused.status === 404) console.log(`orval: ${refused.status} ${refused.data.code}`)
await deleteApp({ appId }, options)
