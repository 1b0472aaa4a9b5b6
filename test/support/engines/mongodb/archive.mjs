// Archives of mongodump: a prelude that names the collections, then blocks of documents. Integers are little-endian.
import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { deserialize, serialize } from 'bson'
import { MongoClient } from 'mongodb'

const MAGIC = 0x8199e26d
const TERMINATOR = 0xffffffff
const text = { type: 'string' }
const flag = { type: 'boolean', default: false }

const number = (value) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** Options of both tools that the description of the engine gives; the password comes from a file. */
export async function connected() {
  const options = { username: text, authenticationDatabase: text, config: text, quiet: flag, archive: flag }
  const { values } = parseArgs({ options: { ...options, stopOnError: flag, nsExclude: { ...text, multiple: true } } })
  const [, password] = /^password: "(.*)"$/m.exec(readFileSync(values.config, 'utf8')) ?? []
  const client = await new MongoClient('mongodb://127.0.0.1:27017', {
    auth: { username: values.username, password },
    authSource: values.authenticationDatabase,
    directConnection: true,
  }).connect()
  return { client, excluded: values.nsExclude ?? [] }
}

export const prelude = (collections) => {
  const header = { concurrent_collections: 1, version: '0.1', server_version: '8.0.0', tool_version: 'stand-in' }
  const named = collections.map(({ db, collection }) =>
    serialize({ db, collection, metadata: '{"indexes":[]}', size: 0, type: 'collection' }),
  )
  return Buffer.concat([number(MAGIC), serialize(header), ...named, number(TERMINATOR)])
}

export const block = (namespace, documents) =>
  Buffer.concat([
    serialize({ ...namespace, EOF: false, CRC: 0 }),
    ...documents.map((one) => serialize(one)),
    number(TERMINATOR),
  ])
export const lastBlock = (namespace) =>
  Buffer.concat([serialize({ ...namespace, EOF: true, CRC: 0 }), number(TERMINATOR)])

/** Fails on an archive that is cut or damaged. */
export async function read(stream) {
  const bytes = await buffer(stream)
  let at = 4
  if (bytes.length < at || bytes.readUInt32LE(0) !== MAGIC) throw new Error('stream or file is not a mongodump archive')
  const next = () => {
    if (at + 4 > bytes.length) throw new Error('archive ends too early')
    const size = bytes.readUInt32LE(at)
    if (size === TERMINATOR) {
      at += 4
      return null
    }
    if (at + size > bytes.length) throw new Error('archive ends too early')
    at += size
    return deserialize(bytes.subarray(at - size, at), { promoteValues: false })
  }
  const list = () => {
    const all = []
    for (let one = next(); one; one = next()) all.push(one)
    return all
  }
  const [, ...collections] = list()
  const blocks = []
  while (at < bytes.length) {
    const [namespace, ...documents] = list()
    blocks.push({ ...namespace, documents })
  }
  const isWhole = ({ db, collection }) =>
    blocks.some((one) => one.EOF && one.db === db && one.collection === collection)
  if (!collections.every(isWhole)) throw new Error('archive ends too early')
  return { collections, blocks }
}
