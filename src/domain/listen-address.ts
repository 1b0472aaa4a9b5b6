/** The settings that say which addresses Berth listens on. */
interface ListenSettings {
  HOST: string
  BERTH_INGRESS_HOST?: string | undefined
}

/** The address that apps answer at. */
export const ingressHost = ({ BERTH_INGRESS_HOST, HOST }: ListenSettings): string => BERTH_INGRESS_HOST ?? HOST

/** Only programs on the same machine reach what listens there. */
export const isLoopbackHost = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host)

/** What listens there is reached at every address of the machine. None can connect to the address itself. */
export const isWildcardHost = (host: string): boolean => host === '0.0.0.0' || host === '::'

/** Where a program on the same machine connects to. */
export const connectable = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host)

/** An address in a URL. */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host)
