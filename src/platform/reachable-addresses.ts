import { existsSync, readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'

/** Bridges of containers: no other machine reaches their addresses. */
const OF_CONTAINERS = /^(docker|br-|bt|veth|virbr|cni|lxc|podman)/
const LINK_LOCAL = /^(169\.254\.|fe80:)/i

/** The addresses at which other machines may reach this one: that of the default route first, IPv4 before IPv6. */
export function reachableAddresses(): string[] {
  const ofDefaultRoute = defaultInterface()
  const found = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ internal, address }) => !internal && !LINK_LOCAL.test(address) && !OF_CONTAINERS.test(name))
      .map(({ address, family }) => ({
        address,
        rank: (family === 'IPv4' ? 0 : 2) + (name === ofDefaultRoute ? 0 : 1),
      })),
  )
  return found.toSorted((one, other) => one.rank - other.rank).map(({ address }) => address)
}

/** Null where there is none, or where the system does not list routes in a file. */
function defaultInterface(): string | null {
  try {
    const routes = readFileSync('/proc/net/route', 'utf8').split('\n').slice(1)
    return routes.map((line) => line.split('\t')).find(([, destination]) => destination === '00000000')?.[0] ?? null
  } catch {
    return null
  }
}

/** A machine that people reach over the network only: run by systemd, without a screen. */
export const looksLikeServer = (environment: NodeJS.ProcessEnv = process.env): boolean =>
  existsSync('/run/systemd/system') && !environment.DISPLAY && !environment.WAYLAND_DISPLAY
