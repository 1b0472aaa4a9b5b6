export const MAX_VARIABLE_NAME_LENGTH = 200

/**
 * Whether programs can read a variable of this name: `discovery.type` and `spring.datasource.url` too, which no shell could
 * export. The engine ends the name at the first `=`.
 */
export const isVariableName = (name: string): boolean =>
  name !== '' && name.length <= MAX_VARIABLE_NAME_LENGTH && name.isWellFormed() && !/[=\p{Cc}]/u.test(name)

export const VARIABLE_NAME_RULE = `must be 1 to ${MAX_VARIABLE_NAME_LENGTH} characters without = and control characters`

/** Whether a Dockerfile’s ARG, and with it a build, takes the name. References have no other names either. */
export const isArgName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)

export const ARG_NAME_RULE =
  'is no name for builds, which read letters, digits and underscores, not first a digit: send type DEPLOY'
