import { inspect } from 'node:util'
import type Docker from 'dockerode'

interface RequestOptions {
  agent?: object
  signal?: object
}

interface RequestBuilder {
  buildRequest(options: RequestOptions, ...rest: unknown[]): void
}

/**
 * docker-modem serializes every request's options for its debug log, even when no log takes it, and follows the agent
 * and the signal through every object they refer to: in a busy process that is most of the heap, and blocks it for
 * seconds. A short description of those two stops that.
 */
export function quieten(docker: Docker): Docker {
  const modem = docker.modem as unknown as RequestBuilder
  const buildRequest = modem.buildRequest.bind(modem)
  modem.buildRequest = (options, ...rest) => {
    for (const heavy of [options.agent, options.signal]) {
      if (heavy)
        Object.defineProperty(heavy, inspect.custom, { value: () => heavy.constructor.name, configurable: true })
    }
    buildRequest(options, ...rest)
  }
  return docker
}
