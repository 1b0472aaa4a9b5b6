// Stands in for mongodump --archive, to standard output.
import { once } from 'node:events'
import { block, connected, lastBlock, prelude } from './archive.mjs'

const BATCH = 1000
const { client } = await connected()
const { databases } = await client.db('admin').admin().listDatabases()
const namespaces = []
for (const { name } of databases)
  for (const one of await client.db(name).listCollections().toArray())
    namespaces.push({ db: name, collection: one.name })

async function write(bytes) {
  if (!process.stdout.write(bytes)) await once(process.stdout, 'drain')
}
await write(prelude(namespaces))
for (const namespace of namespaces) {
  let documents = []
  const found = client.db(namespace.db).collection(namespace.collection).find({}, { promoteValues: false })
  for await (const document of found) {
    documents.push(document)
    if (documents.length < BATCH) continue
    await write(block(namespace, documents))
    documents = []
  }
  if (documents.length > 0) await write(block(namespace, documents))
  await write(lastBlock(namespace))
}
await client.close()
