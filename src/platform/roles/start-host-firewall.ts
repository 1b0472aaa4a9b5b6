import type { PartState } from '../../domain/part-states.ts'
import { installFirewall, rememberFirewall, whyNoFirewall } from '../host-firewall/host-firewall.ts'
import type { ControlPlaneContext } from '../role-context.ts'

/** Other programs may have flushed the rules meanwhile. */
const REPEAT_MS = 60_000

/** Keeps containers away from this machine's services, or says in the log and in /readyz why it cannot. */
export async function startHostFirewall({
  config,
  log,
  readiness,
  undo,
  database,
  dataDir,
}: ControlPlaneContext): Promise<void> {
  if (config.BERTH_HOST_FIREWALL === 'off') return
  const { id: installationId } = await database.installation.findFirstOrThrow({ select: { id: true } })
  const ports = [...(config.INGRESS_PORT > 0 ? [config.INGRESS_PORT] : []), ...config.BERTH_CONTAINER_HOST_PORTS]
  let reason = whyNoFirewall(config, 'the worker')
  let isRemembered = true
  const remember = () => {
    try {
      rememberFirewall(dataDir, { installationId, ports })
      isRemembered = true
    } catch (error) {
      // A full disk is no reason to run without rules.
      if (isRemembered)
        log.warn({ err: error }, 'The firewall rules cannot be kept for the next boot; it is tried again')
      isRemembered = false
    }
  }
  const install = async () => {
    const before = reason
    reason = await installFirewall({ installationId, ports }).then(
      () => null,
      (error: Error) => error.message,
    )
    if (reason !== null && reason !== before) log.warn({ reason }, UNPROTECTED)
    if (reason === null) remember()
  }
  readiness.hostFirewall = { isRequired: false, check: () => firewallPart(reason) }
  if (reason === null) await install()
  else log.warn({ reason }, UNPROTECTED)
  if (reason !== null && config.BERTH_HOST_FIREWALL === 'required') {
    throw new Error(`BERTH_HOST_FIREWALL is "required", and the rules cannot be installed: ${reason}`)
  }
  if (whyNoFirewall(config, 'the worker') !== null) return
  const timer = setInterval(() => void install(), REPEAT_MS)
  timer.unref()
  undo.defer(() => clearInterval(timer))
}

export const firewallPart = (reason: string | null): PartState =>
  reason === null ? { ready: true, reason } : { ready: false, state: 'FIREWALL_MISSING', reason }

const UNPROTECTED =
  'Containers can reach services of the engine’s machine; docs/operating.md says how to install the rules by hand'
