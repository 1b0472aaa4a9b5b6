// Run once by docker-compose.yml, before PostgreSQL: a password for each database role, in a volume of its own, so that
// each service mounts only what it uses. Readable by all, because each service has another user.
import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { writeDurably } from '../../storage/files/durable-files.ts'

const FOLDERS = ['postgres', 'berth', 'ingress']

for (const name of FOLDERS) {
  const file = `/run/secrets/${name}/password`
  // An empty one is what a power cut may leave of a version that did not wait for the disk; it protects nothing.
  if (existsSync(file) && statSync(file).size > 0) continue
  // One that was set in the environment is the superuser's, as it always was.
  const given = name === 'postgres' ? process.env.POSTGRES_PASSWORD : undefined
  writeDurably(file, given || randomBytes(24).toString('hex'), 0o444)
  process.stdout.write(`Made a password for the database role of ${name}\n`)
}
