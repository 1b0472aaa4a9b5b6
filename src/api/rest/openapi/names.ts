/** `deployImage`, `NOT_FOUND` and `appEnv.statusChanged` → `DeployImage`, `NotFound` and `AppEnvStatusChanged`. */
export const pascalCase = (name: string): string =>
  (/[a-z]/.test(name) ? name : name.toLowerCase()).replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) =>
    letter.toUpperCase(),
  )
