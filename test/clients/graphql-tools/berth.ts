// What each program is given: a Berth, an account with three apps at least, and one of its environments, which runs an image.
const given = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

export const url = `${given('BERTH_URL')}/graphql`
export const socketUrl = url.replace(/^http/, 'ws')
export const token = given('BERTH_TOKEN')
export const accountId = given('ACCOUNT_ID')
export const appEnvId = given('APP_ENV_ID')
export const image = given('IMAGE')

const reported: Record<string, unknown> = {}

/** Notes what the program has seen, under a name. */
export const report = (name: string, seen: unknown): void => {
  reported[name] = seen
}

/** Prints all of it, as JSON, and ends: some clients keep their connections open. */
export function finish(): never {
  console.log(JSON.stringify(reported))
  process.exit()
}

/** Whether a promise is kept within a minute; its reason or value. */
export const within = <Value>(promise: Promise<Value>, what: string): Promise<Value> =>
  Promise.race([
    promise,
    new Promise<never>((_resolve, reject) =>
      setTimeout(() => reject(new Error(`${what}: not within a minute`)), 60_000),
    ),
  ])
