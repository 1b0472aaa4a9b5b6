/**
 * Name by which the replicas of a managed service are reached on the account's network, whichever answers. No
 * environment has it: their names have no dots.
 */
export const replicasHost = (cliEnvName: string): string => `replicas.${cliEnvName}`
