/** The settings that say how clients reach the ingress. */
export interface IngressAddress {
  BERTH_INGRESS_URL?: string | undefined
  INGRESS_PORT: number
}

/** The address under which clients reach a host, with scheme and port: whatever shows an address gets it here. */
export function publicUrl({ BERTH_INGRESS_URL, INGRESS_PORT }: IngressAddress, host: string): string {
  const { protocol, port } = new URL(BERTH_INGRESS_URL ?? `http://localhost:${INGRESS_PORT}`)
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`
}
