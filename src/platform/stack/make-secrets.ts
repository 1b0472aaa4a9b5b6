// Run once by docker-compose.yml, before PostgreSQL: a password for each database role, in a volume of its own, so that
// each service mounts only what it uses. Readable by all, because each service has another user.
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, renameSync, writeFileSync } from 'node:fs'

const FOLDERS = ['postgres', 'berth', 'ingress']

for (const name of FOLDERS) {
  const file = `/run/secrets/${name}/password`
  if (existsSync(file)) continue
  // One that was set in the environment is the superuser's, as it always was.
  const given = name === 'postgres' ? process.env.POSTGRES_PASSWORD : undefined
  writeFileSync(`${file}.draft`, given || randomBytes(24).toString('hex'), { flush: true })
  chmodSync(`${file}.draft`, 0o444)
  renameSync(`${file}.draft`, file)
  process.stdout.write(`Made a password for the database role of ${name}\n`)
}
