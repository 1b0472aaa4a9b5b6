// Documents of every collection in one file of SQLite, each as the BSON that a client sent.
import { DatabaseSync } from 'node:sqlite'
import { deserialize, serialize } from 'bson'

const FILE = '/data/db/stand-in.sqlite'

const database = new DatabaseSync(FILE)
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS collection (db TEXT, name TEXT, PRIMARY KEY (db, name));
  CREATE TABLE IF NOT EXISTS document (
    number INTEGER PRIMARY KEY, db TEXT, name TEXT, id BLOB, body BLOB, UNIQUE (db, name, id));
  CREATE TABLE IF NOT EXISTS user (name TEXT PRIMARY KEY, secrets TEXT);
`)
const statements = new Map()

function prepared(sql) {
  if (!statements.has(sql)) statements.set(sql, database.prepare(sql))
  return statements.get(sql)
}
const rows = (sql, ...values) => prepared(sql).all(...values)
const run = (sql, ...values) => prepared(sql).run(...values)

const idOf = ({ _id }) => serialize({ _id })

export function atOnce(write) {
  database.exec('BEGIN')
  try {
    const result = write()
    database.exec('COMMIT')
    return result
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

export const databases = () => rows('SELECT DISTINCT db FROM collection ORDER BY db').map(({ db }) => db)
export const collections = (db) =>
  rows('SELECT name FROM collection WHERE db = ? ORDER BY name', db).map(({ name }) => name)
export const create = (db, name) => run('INSERT OR IGNORE INTO collection VALUES (?, ?)', db, name)

export function drop(db, name) {
  run('DELETE FROM document WHERE db = ? AND name = ?', db, name)
  return Number(run('DELETE FROM collection WHERE db = ? AND name = ?', db, name).changes) > 0
}

/** In the order in which they were inserted. Fails on a document that cannot be read. */
export const documents = (db, name) =>
  rows('SELECT body FROM document WHERE db = ? AND name = ? ORDER BY number', db, name).map(({ body }) =>
    deserialize(body),
  )

/** False if there is one with this id already. */
export function insert(db, name, document) {
  const sql = 'INSERT OR IGNORE INTO document (db, name, id, body) VALUES (?, ?, ?, ?)'
  return Number(run(sql, db, name, idOf(document), serialize(document)).changes) > 0
}

export const replace = (db, name, document) =>
  run(
    'UPDATE document SET body = ? WHERE db = ? AND name = ? AND id = ?',
    serialize(document),
    db,
    name,
    idOf(document),
  )
export const remove = (db, name, document) =>
  run('DELETE FROM document WHERE db = ? AND name = ? AND id = ?', db, name, idOf(document))

export function secretsOf(name) {
  const [row] = rows('SELECT secrets FROM user WHERE name = ?', name)
  return row ? JSON.parse(row.secrets) : null
}
export const keepSecrets = (name, secrets) =>
  run('INSERT OR REPLACE INTO user VALUES (?, ?)', name, JSON.stringify(secrets))

export const close = () => database.close()
