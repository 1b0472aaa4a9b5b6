import { type Fixture, UNKNOWN } from './fixture.ts'

/** An environment with a container that serves, and one that was never deployed. */
async function environments({ app, appEnv, deploy, seeContainers }: Fixture) {
  const appId = await app()
  const serving = await appEnv(appId)
  await deploy(serving)
  await seeContainers(serving)
  return { serving, fresh: await appEnv(appId, { name: 'staging' }) }
}

/** Tickets for commands and tunnels, which nothing opens. */
export async function restRemoteSessions(fixture: Fixture): Promise<void> {
  const { rest } = fixture
  const { serving: appEnvId, fresh } = await environments(fixture)
  const shell = { command: ['sh'], terminal: true, columns: 120, rows: 40 }
  await rest('run a shell', 'POST /app-env/exec', { appEnvId, ...shell })
  await rest('run a command in a container that is not there', 'POST /app-env/exec', { appEnvId, podId: UNKNOWN })
  await rest('run no command', 'POST /app-env/exec', { appEnvId, command: [] })
  await rest('run a command before the first deployment', 'POST /app-env/exec', { appEnvId: fresh })
  await rest('run a command without the role', 'POST /app-env/exec', { appEnvId }, { as: 'technical' })
  await rest('run a command of others', 'POST /app-env/exec', { appEnvId }, { as: 'stranger' })
  await rest('open a tunnel', 'POST /app-env/tunnel', { appEnvId })
  await rest('open a tunnel to another port', 'POST /app-env/tunnel', { appEnvId, port: 9000 })
  await rest('open a tunnel to no port', 'POST /app-env/tunnel', { appEnvId, port: 0 })
}

export async function graphqlRemoteSessions(fixture: Fixture): Promise<void> {
  const { graphql } = fixture
  const { serving: appEnvId, fresh } = await environments(fixture)
  const fields = 'remoteSessionId url ticket expiresAt container podId'
  const exec = `mutation ($input: CreateExecInput!) { createExec(input: $input) { ${fields} } }`
  await graphql('run a command', exec, { input: { appEnvId, command: ['date'] } })
  await graphql('run a command before the first deployment', exec, { input: { appEnvId: fresh } })
  await graphql('run a command without the role', exec, { input: { appEnvId } }, { as: 'technical' })
  const tunnel = `mutation ($input: CreateTunnelInput!) { createTunnel(input: $input) { ${fields} port } }`
  await graphql('open a tunnel', tunnel, { input: { appEnvId } })
  await graphql('open a tunnel of others', tunnel, { input: { appEnvId } }, { as: 'stranger' })
}
