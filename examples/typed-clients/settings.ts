const required = (name: string): string => {
  const value = process.env[name]
  if (!value) throw new Error(`Set ${name}`)
  return value
}

export const url = required('BERTH_URL')
export const token = required('BERTH_TOKEN')

/** The image to deploy, and the port that it listens on. */
export const image = process.env.BERTH_IMAGE ?? 'nginx:alpine'
export const port = Number(process.env.BERTH_PORT ?? 80)

export const pause = () => new Promise((resolve) => setTimeout(resolve, 500))
