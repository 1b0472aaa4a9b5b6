// Run once by docker-compose.yml, after PostgreSQL: the roles of Berth and of the ingress, with the passwords that
// make-secrets.ts made.
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { INGRESS, OWNER, prepareDatabase } from '../../storage/database/database-roles.ts'
import { SUPERUSER } from '../../storage/database/postgres-server.ts'

/** The password of stacks that were started before there were generated ones. */
const FORMER_PASSWORD = 'berth'

const passwordOf = (name: string) => readFileSync(`/run/secrets/${name}/password`, 'utf8').trim()

const urlOf = (role: string, password: string) => {
  const url = new URL(process.env.POSTGRES_ADDRESS ?? 'postgresql://postgres:5432/berth')
  url.username = role
  url.password = encodeURIComponent(password)
  return url.href
}

async function replaceFormerPassword(password: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(SUPERUSER, FORMER_PASSWORD) })
  const isFormer = await client.connect().then(
    () => true,
    () => false,
  )
  if (!isFormer || password === FORMER_PASSWORD) return client.end()
  await client.query(`ALTER ROLE ${SUPERUSER} PASSWORD ${client.escapeLiteral(password)}`)
  await client.end()
  process.stdout.write('Replaced the former default password of the database\n')
}

/** The volume with the password was lost or emptied, and another password was made. */
const REFUSED = `PostgreSQL refuses the password of its superuser in /run/secrets/postgres/password. Set it, then start the stack again:
  docker compose exec postgres sh -c "psql -U ${SUPERUSER} -c \\"ALTER ROLE ${SUPERUSER} PASSWORD '\\$(cat /run/secrets/postgres/password)'\\""
`

const superuserPassword = passwordOf('postgres')
await replaceFormerPassword(superuserPassword)
try {
  await prepareDatabase({
    url: urlOf(OWNER, passwordOf('berth')),
    ingressUrl: urlOf(INGRESS, passwordOf('ingress')),
    superuserUrl: urlOf(SUPERUSER, superuserPassword),
  })
} catch (error) {
  if ((error as { code?: string }).code !== '28P01') throw error
  process.stderr.write(REFUSED)
  process.exitCode = 1
}
