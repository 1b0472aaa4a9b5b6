import { type Fixture, operationOf, UNKNOWN } from './fixture.ts'

const newDatabase = ({ accountId }: Fixture) => ({ name: 'Db', accountId, dockerPreset: 'POSTGRESQL' })

/** A managed service: created, deployed at once, with credentials that only admins see. */
export async function restServices(fixture: Fixture): Promise<void> {
  const { rest, accountId, finish, app, appEnv } = fixture
  const database = await rest('create a database', 'POST /app', newDatabase(fixture))
  await rest('create a database with another port', 'POST /app', { ...newDatabase(fixture), port: 1 })
  const environment = { accountId, appId: database.body.appId, name: 'production', region: 'local' }
  const wrong = { disk: 1, containers: 2, dockerPresetVersion: 'POSTGRESQL_9', databaseSettings: { work_mem: 0, a: 1 } }
  await rest('create an environment out of all bounds', 'POST /app-env', { ...environment, ...wrong })
  const created = await rest('create an environment', 'POST /app-env', { ...environment, disk: 2048 })
  const { appEnvId } = created.body
  await rest('rotate during the deployment', 'POST /app-env/credentials/rotate', { appEnvId })
  await finish(operationOf(created.headers))
  await rest('read the environment', 'GET /app-env', { appEnvId })
  await rest('list the volumes', 'GET /volumes', { accountId })
  await rest('read the credentials', 'GET /app-env/credentials', { appEnvId })
  await rest('read the credentials as a technician', 'GET /app-env/credentials', { appEnvId }, { as: 'technical' })
  const web = await appEnv(await app())
  await rest('read the credentials of a web app', 'GET /app-env/credentials', { appEnvId: web })
  await rest('change a setting', 'PUT /app-env', { appEnvId, databaseSettings: { work_mem: 8 } })
  await rest('change to an older version', 'PUT /app-env', { appEnvId, dockerPresetVersion: 'POSTGRESQL_17' })
  await rest('deploy an image', 'POST /app-env/deploy-image', { appEnvId, image: 'postgres:18' })
  await restBackups(fixture, appEnvId)
  await rest('rotate the credentials', 'POST /app-env/credentials/rotate', { appEnvId })
}

async function restBackups({ rest, finish, finishBackup, ask }: Fixture, appEnvId: string): Promise<void> {
  const keyOf = async () => (await ask('GET', '/app-env/backups', { appEnvId })).body.backups[0].key as string
  const begun = await rest('back up', 'POST /app-env/backup', { appEnvId })
  await rest('back up while that is under way', 'POST /app-env/backup', { appEnvId })
  const backupKey = await keyOf()
  await rest('restore a backup that is not whole', 'POST /app-env/backup-restore', { appEnvId, backupKey })
  await finishBackup(backupKey, operationOf(begun.headers))
  await rest('list the backups', 'GET /app-env/backups', { appEnvId })
  await rest('read a backup', 'GET /app-env/backup', { backupKey: await keyOf() })
  await rest('read a backup as a stranger', 'GET /app-env/backup', { backupKey: await keyOf() }, { as: 'stranger' })
  await rest('read an unknown backup', 'GET /app-env/backup', { backupKey: `bak_${UNKNOWN}` })
  const verifying = await rest('verify a backup', 'POST /app-env/backup-verify', { appEnvId, backupKey })
  await finish(operationOf(verifying.headers))
  await rest('download a backup', 'POST /app-env/backup-download', { backupKey })
  await rest('download a backup as a technician', 'POST /app-env/backup-download', { backupKey }, { as: 'technical' })
  const restoring = await rest('restore a backup', 'POST /app-env/backup-restore', { appEnvId, backupKey })
  await finish(operationOf(restoring.headers), 'FAILED')
  await rest('delete a backup', 'DELETE /app-env/backup', { backupKey })
  await rest('keep a schedule of no day', 'PUT /app-env', { appEnvId, backupSchedule: { cron: '0 0 31 2 *' } })
}

export async function graphqlServices(fixture: Fixture): Promise<void> {
  const { graphql, accountId, ask, app, appEnv } = fixture
  const database = (await ask('POST', '/app', newDatabase(fixture))).body.appId
  const make = 'mutation ($input: CreateAppEnvInput!) { createAppEnv(input: $input) { appEnv { id status } } }'
  const environment = { accountId, appId: database, name: 'production', region: 'local' }
  await graphql('create an environment out of bounds', make, { input: { ...environment, disk: 1 } })
  const { body } = await graphql('create an environment', make, { input: { ...environment, disk: 2048 } })
  const id = body.data.createAppEnv.appEnv.id
  const read = `query ($id: ID!) { appEnv(id: $id) { dockerPresetVersion databaseSettings
    credentials { username password database internalUrl externalUrl } } }`
  await graphql('read the credentials', read, { id })
  await graphql('read the credentials as a technician', read, { id }, { as: 'technical' })
  await graphql('read the credentials of a web app', read, { id: await appEnv(await app()) })
  const rotate = 'mutation ($id: ID) { rotateCredentials(input: { appEnvId: $id }) { success message } }'
  await graphql('rotate during the deployment', rotate, { id })
  const operations = (await ask('GET', '/operations', { appEnvId: id })).body.operations
  await fixture.finish(operations[0].operationId)
  await graphqlBackups(fixture, id)
  await graphql('rotate the credentials', rotate, { id })
}

async function graphqlBackups({ graphql, ask, finish, finishBackup }: Fixture, id: string): Promise<void> {
  const newest = async () => (await ask('GET', '/operations', { appEnvId: id })).body.operations[0].operationId
  const list = `query ($id: ID) { backups(appEnvId: $id) {
    nodes { id status kind verified presetVersion size } pageInfo { ...Page } } }`
  await graphql('back up', 'mutation ($id: ID) { backUpAppEnv(input: { appEnvId: $id }) { success message } }', { id })
  const backupKey = (await ask('GET', '/app-env/backups', { appEnvId: id })).body.backups[0].key
  await finishBackup(backupKey, await newest())
  await graphql('list the backups', list, { id })
  await graphql('list the backups of an unknown environment', list, { id: `env_${UNKNOWN}` })
  const one = 'query ($id: ID!) { backup(id: $id) { kind status presetVersion } }'
  const [{ key }] = (await ask('GET', '/app-env/backups', { appEnvId: id })).body.backups
  await graphql('read a backup', one, { id: key })
  await graphql('read an unknown backup', one, { id: `bak_${UNKNOWN}` })
  const on = (name: string) => `mutation ($id: ID, $backupKey: String!) {
    ${name}(input: { appEnvId: $id, backupKey: $backupKey }) { success message } }`
  await graphql('verify a backup', on('verifyBackup'), { id, backupKey })
  await finish(await newest())
  await graphql('restore a backup', on('restoreBackup'), { id, backupKey })
  await finish(await newest(), 'FAILED')
  const download = 'mutation ($backupKey: String!) { downloadBackup(input: { backupKey: $backupKey }) { downloadUrl } }'
  await graphql('download a backup', download, { backupKey })
  const remove = 'mutation ($backupKey: String!) { deleteBackup(input: { backupKey: $backupKey }) { message } }'
  await graphql('delete a backup', remove, { backupKey })
}
