const ALL_ROLES = 'api,worker,ingress'

/**
 * The roles that each process plays, in the order in which they start: requests to running apps share neither a thread
 * nor a heap with the API, the worker or a build. What is wrong with the setting is for the processes to say.
 */
export function processGroups(setting) {
  const roles = (setting?.trim() || ALL_ROLES).split(',').map((role) => role.trim())
  const others = roles.filter((role) => role !== 'ingress')
  return others.length > 0 && others.length < roles.length ? [others, ['ingress']] : [roles]
}

/** Whether requests to running apps, which are another process's, go before what this one does. */
export const isBesideIngress = (roles, groups) => groups.length > 1 && !roles.includes('ingress')
