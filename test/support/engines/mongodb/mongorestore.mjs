// Stands in for mongorestore --archive, from standard input. Nothing is restored of an archive that is not whole.
import { connected, read } from './archive.mjs'

const { client, excluded } = await connected()
const isExcluded = ({ db, collection }) =>
  excluded.some((pattern) =>
    new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(`${db}.${collection}`),
  )

const { collections, blocks } = await read(process.stdin)
for (const { db, collection } of collections.filter((one) => !isExcluded(one)))
  await client.db(db).createCollection(collection)
for (const { db, collection, documents } of blocks)
  if (documents.length > 0 && !isExcluded({ db, collection }))
    await client.db(db).collection(collection).insertMany(documents)
await client.close()
