import { z } from 'zod'
import { count, hostOrAddress, portRanges, seconds, whole } from './setting-types.ts'

/** How clients from outside reach managed services by plain TCP. */
export const TCP_SETTINGS = {
  BERTH_TCP_PORTS: portRanges('20000-20999').describe(
    'TCP ports of the ingress for external access to managed services: ports and ranges, comma-separated. A port is listened on only while an environment has it. The same for every process. off: no external access.',
  ),
  BERTH_TCP_HOST: z
    .string()
    .min(1)
    .optional()
    .describe('Address that the ingress binds the ports of BERTH_TCP_PORTS to. Default: HOST.'),
  BERTH_TCP_ADDRESS: hostOrAddress()
    .optional()
    .describe(
      'Host name or address in the external URLs of managed services. Default: the name of the environment below its domain, as apps have it; localhost below .localhost, because database clients resolve nothing else there.',
    ),
  BERTH_TCP_DEFAULT_CONNECTIONS: count(100, 100_000).describe(
    'External TCP connections per environment and ingress, unless the environment sets its own number.',
  ),
  BERTH_TCP_CONNECTIONS_PER_ENV: count(1000, 100_000).describe(
    'Maximum number of external TCP connections that an environment may set, per ingress.',
  ),
  BERTH_TCP_CONNECTIONS_PER_CLIENT: count(200, 100_000).describe(
    'Maximum number of external TCP connections of a client address per ingress. IPv6 addresses count by /64 network.',
  ),
  BERTH_TCP_MAX_CONNECTIONS: count(2500, 1_000_000).describe(
    'Maximum number of external TCP connections per ingress. They have their own share of its open files.',
  ),
  BERTH_TCP_CONNECT_SECONDS: seconds(5, 60).describe(
    'How long the ingress waits for a container to accept an external TCP connection.',
  ),
  BERTH_TCP_IDLE_SECONDS: whole(0, 0, 604_800).describe(
    'Idle timeout of an external TCP connection. 0: none; the ends of dead connections are found by TCP keep-alive.',
  ),
  BERTH_ACCOUNT_TCP_PORTS: count(100, 10_000).describe(
    'Maximum number of environments with external access per account.',
  ),
}
