const LONGEST = 20

/** The end of a container’s name, which differs from those of the others of its environment: `v3-7zy7g28s-0`. */
export const shortContainerName = (name: string): string =>
  /v\d{1,9}-[a-z0-9]{1,40}-\d{1,9}$/.exec(name)?.[0] ?? (name.length > LONGEST ? `…${name.slice(1 - LONGEST)}` : name)
