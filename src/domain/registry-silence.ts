/** Why a registry cannot be reached, in words for users, which complete "The registry … cannot be reached: ". */
export const REGISTRY_SILENCES = {
  unresolved: 'its name cannot be resolved',
  refusing: 'it refuses connections',
  unroutable: 'there is no way to its network',
  plainHttp: 'it speaks HTTP, and the engine is not configured to accept that',
  untrusted: 'its certificate is not trusted',
  slow: 'it does not answer in time',
  failing: 'it answers with an error of its own',
  mute: 'it does not answer',
} as const

export type RegistrySilence = keyof typeof REGISTRY_SILENCES
