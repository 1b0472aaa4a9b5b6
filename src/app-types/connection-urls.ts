import type { AppType } from './app-type.ts'

/** Reached under its name and port on the account's network by this protocol, and from outside by the ingress. */
export const urlsOver =
  (protocol: string): AppType['connectionUrls'] =>
  ({ host, port, publicUrl }) => ({
    internalUrl: port === null ? null : `${protocol}://${host}:${port}`,
    externalUrl: publicUrl,
  })

/** Nothing listens. */
export const noUrls: AppType['connectionUrls'] = () => ({ internalUrl: null, externalUrl: null })
