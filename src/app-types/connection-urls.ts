import type { AppType } from './app-type.ts'

/** Reached by name and port on the account's network with this protocol, and from outside through the ingress. */
export const urlsOver =
  (protocol: string): AppType['connectionUrls'] =>
  ({ host, port, publicUrl }) => ({
    internalUrl: port === null ? null : `${protocol}://${host}:${port}`,
    externalUrl: publicUrl,
    host,
    port: port === null ? null : `${port}`,
  })

/** As the engine's clients write them, with the generated credentials in them. */
export const urlsOfEngine: AppType['connectionUrls'] = ({
  engine,
  credentials,
  host,
  externalAddress,
  replicasHost,
}) => {
  if (!engine || !credentials) return {}
  const { port, database } = engine
  const { user, password } = credentials
  return {
    internalUrl: engine.url(credentials, { host, port }),
    externalUrl: externalAddress && engine.url(credentials, externalAddress),
    readOnlyUrl: replicasHost && engine.url(credentials, { host: replicasHost, port }),
    user,
    password,
    host,
    port: `${port}`,
    database,
  }
}
