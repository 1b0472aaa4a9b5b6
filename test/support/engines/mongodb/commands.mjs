// The commands that mongosh, the driver and the tools of the image send.
import { Binary, Long, ObjectId } from 'bson'
import { Aggregator, find, updateOne } from 'mingo'
import * as store from './store.mjs'
import { beginSignIn, finishSignIn, setPassword } from './users.mjs'

const FIRST_BATCH = 101
const VERSION = '8.0.0'

/** Known to everyone: what a client asks before it signs in. */
const OPEN = new Set(
  'hello ismaster isMaster ping buildInfo buildinfo saslStart saslContinue logout endSessions whatsmyuri'.split(' '),
)

export class CommandFailed extends Error {
  constructor(code, codeName, message) {
    super(message)
    Object.assign(this, { code, codeName })
  }
}

const cursors = new Map()
let cursorsMade = 0

/** The first documents, and a cursor for the others. */
function inBatches(ns, documents, size) {
  const firstBatch = documents.slice(0, size)
  if (firstBatch.length === documents.length) return { cursor: { id: Long.ZERO, ns, firstBatch } }
  cursorsMade += 1
  cursors.set(cursorsMade, { ns, rest: documents.slice(size) })
  return { cursor: { id: Long.fromNumber(cursorsMade), ns, firstBatch } }
}

function sorted(db, name, { filter = {}, sort, skip = 0, limit = 0, projection }) {
  let cursor = find(store.documents(db, name), filter, projection)
  if (sort) cursor = cursor.sort(sort)
  const found = cursor.all().slice(skip)
  return limit ? found.slice(0, Math.abs(limit)) : found
}

const hello = (command) => ({
  helloOk: true,
  isWritablePrimary: true,
  ismaster: true,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  localTime: new Date(),
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: 25,
  readOnly: false,
  ...(command.saslSupportedMechs && { saslSupportedMechs: ['SCRAM-SHA-256'] }),
})

function insert({ insert: name, documents }, { db }) {
  const writeErrors = []
  store.atOnce(() => {
    store.create(db, name)
    for (const [index, document] of documents.entries())
      if (!store.insert(db, name, { _id: new ObjectId(), ...document }))
        writeErrors.push({ index, code: 11_000, errmsg: `E11000 duplicate key error collection: ${db}.${name}` })
  })
  return { n: documents.length - writeErrors.length, ...(writeErrors.length > 0 && { writeErrors }) }
}

function update({ update: name, updates }, { db }) {
  let [matched, nModified] = [0, 0]
  const upserted = []
  store.atOnce(() => {
    for (const [index, { q, u, multi, upsert }] of updates.entries()) {
      const found = sorted(db, name, { filter: q, limit: multi ? 0 : 1 })
      for (const document of found) {
        matched += 1
        nModified += 1
        store.replace(db, name, changed(document, u))
      }
      if (found.length > 0 || !upsert) continue
      const document = changed({ _id: new ObjectId(), ...q }, u)
      store.create(db, name)
      store.insert(db, name, document)
      upserted.push({ index, _id: document._id })
    }
  })
  return { n: matched + upserted.length, nModified, ...(upserted.length > 0 && { upserted }) }
}

function changed(document, change) {
  if (!Object.keys(change).some((key) => key.startsWith('$'))) return { _id: document._id, ...change }
  const all = [document]
  updateOne(all, {}, change)
  return all[0]
}

function remove({ delete: name, deletes }, { db }) {
  let n = 0
  store.atOnce(() => {
    for (const { q, limit } of deletes)
      for (const document of sorted(db, name, { filter: q, limit })) {
        store.remove(db, name, document)
        n += 1
      }
  })
  return { n }
}

function saslStart({ payload }, connection) {
  connection.signingIn = beginSignIn(Buffer.from(payload.buffer).toString())
  return said(connection.signingIn.first, false)
}

function saslContinue({ payload }, connection) {
  const message = Buffer.from(payload.buffer).toString()
  if (message === '') return said('', true)
  const proof = finishSignIn(connection.signingIn, message)
  connection.user = connection.signingIn.name
  return said(proof, false)
}

const said = (text, done) => ({ conversationId: 1, done, payload: new Binary(Buffer.from(text)) })

function collectionInfos({ filter = {} }, { db }) {
  const all = store
    .collections(db)
    .map((name) => ({ name, type: 'collection', options: {}, info: { readOnly: false } }))
  return inBatches(`${db}.$cmd.listCollections`, find(all, filter).all(), all.length)
}

/** Reads every document, as the real one does with `full`. */
const validate = ({ validate: name }, { db }) => ({
  ns: `${db}.${name}`,
  nrecords: store.documents(db, name).length,
  valid: true,
  warnings: [],
  errors: [],
})

const COMMANDS = {
  hello,
  ismaster: hello,
  isMaster: hello,
  ping: () => ({}),
  buildInfo: () => ({ version: VERSION, versionArray: [8, 0, 0, 0], gitVersion: 'stand-in', modules: [], bits: 64 }),
  buildinfo: () => COMMANDS.buildInfo(),
  saslStart,
  saslContinue,
  logout: (_, connection) => {
    connection.user = null
    return {}
  },
  endSessions: () => ({}),
  whatsmyuri: () => ({ you: '' }),
  getParameter: () => ({ featureCompatibilityVersion: { version: '8.0' } }),
  setFeatureCompatibilityVersion: () => ({}),
  connectionStatus: (_, { user }) => ({ authInfo: { authenticatedUsers: user ? [{ user, db: 'admin' }] : [] } }),
  listDatabases: () => ({ databases: store.databases().map((name) => ({ name, sizeOnDisk: 1, empty: false })) }),
  listCollections: collectionInfos,
  listIndexes: ({ listIndexes: name }, { db }) =>
    inBatches(`${db}.${name}`, [{ v: 2, key: { _id: 1 }, name: '_id_' }], FIRST_BATCH),
  create: ({ create: name }, { db }) => {
    store.create(db, name)
    return {}
  },
  drop: ({ drop: name }, { db }) => {
    if (!store.drop(db, name)) throw new CommandFailed(26, 'NamespaceNotFound', 'ns not found')
    return {}
  },
  dropDatabase: (_, { db }) => {
    for (const name of store.collections(db)) store.drop(db, name)
    return { dropped: db }
  },
  insert,
  update,
  delete: remove,
  find: (command, { db }) =>
    inBatches(`${db}.${command.find}`, sorted(db, command.find, command), command.batchSize ?? FIRST_BATCH),
  aggregate: ({ aggregate: name, pipeline, cursor }, { db }) =>
    inBatches(
      `${db}.${name}`,
      new Aggregator(pipeline).run(store.documents(db, name)),
      cursor?.batchSize ?? FIRST_BATCH,
    ),
  count: ({ count: name, query }, { db }) => ({ n: sorted(db, name, { filter: query }).length }),
  getMore: ({ getMore: id, batchSize }) => {
    const cursor = cursors.get(Number(id))
    if (!cursor) throw new CommandFailed(43, 'CursorNotFound', `cursor id ${id} not found`)
    const nextBatch = cursor.rest.splice(0, batchSize ?? cursor.rest.length)
    const isDone = cursor.rest.length === 0
    if (isDone) cursors.delete(Number(id))
    return { cursor: { id: isDone ? Long.ZERO : Long.fromNumber(Number(id)), ns: cursor.ns, nextBatch } }
  },
  killCursors: ({ cursors: ids }) => {
    for (const id of ids) cursors.delete(Number(id))
    return { cursorsKilled: ids }
  },
  validate,
  createUser: ({ createUser: name, pwd }) => {
    if (store.secretsOf(name)) throw new CommandFailed(51_003, 'Location51003', `User "${name}@admin" already exists`)
    setPassword(name, pwd)
    return {}
  },
  updateUser: ({ updateUser: name, pwd }) => {
    if (!store.secretsOf(name)) throw new CommandFailed(11, 'UserNotFound', `Could not find user "${name}"`)
    setPassword(name, pwd)
    return {}
  },
}

/** The answer to one command of a connection, which has to have signed in for most of them. */
export function answerTo(command, connection) {
  const [name] = Object.keys(command)
  const answer = COMMANDS[name]
  if (!answer) throw new CommandFailed(59, 'CommandNotFound', `no such command: '${name}'`)
  if (connection.isProtected && !connection.user && !OPEN.has(name))
    throw new CommandFailed(13, 'Unauthorized', `Command ${name} requires authentication`)
  connection.db = command.$db ?? 'admin'
  return answer(command, connection)
}
