export function chosenIngressPort(settings: {
  INGRESS_PORT?: string | undefined
  HOST?: string | undefined
}): Promise<{ INGRESS_PORT?: string }>
