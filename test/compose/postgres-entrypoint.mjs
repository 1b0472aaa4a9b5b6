// In place of the official image's entrypoint, for the variables that docker-compose.yml sets.
import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'

const { POSTGRES_USER, POSTGRES_PASSWORD_FILE, POSTGRES_DB } = process.env
const programs = '/usr/lib/postgresql/bin'
const data = '/var/lib/postgresql/data'

if (!existsSync(`${data}/PG_VERSION`)) {
  writeFileSync('/tmp/password', readFileSync(POSTGRES_PASSWORD_FILE))
  execFileSync(`${programs}/initdb`, [
    `--pgdata=${data}`,
    `--username=${POSTGRES_USER}`,
    '--pwfile=/tmp/password',
    '--auth=scram-sha-256',
  ])
  appendFileSync(`${data}/pg_hba.conf`, 'host all all all scram-sha-256\n')
  const create = `CREATE DATABASE ${POSTGRES_DB};\n`
  execFileSync(`${programs}/postgres`, ['--single', '-D', data, 'postgres'], { input: create })
}
const server = spawn(
  `${programs}/postgres`,
  ['-D', data, '-c', 'listen_addresses=*', '-c', 'unix_socket_directories='],
  {
    stdio: 'inherit',
  },
)
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => server.kill('SIGINT'))
server.on('exit', (code) => process.exit(code ?? 1))
