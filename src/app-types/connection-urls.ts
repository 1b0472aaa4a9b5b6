import type { AppType } from './app-type.ts'

/** Reached by name and port on the account's network with this protocol, and from outside through the ingress. */
export const urlsOver =
  (protocol: string): AppType['connectionUrls'] =>
  ({ host, port, publicUrl }) => ({
    internalUrl: port === null ? null : `${protocol}://${host}:${port}`,
    externalUrl: publicUrl,
  })
