import { atLeastOneOf } from '../../calls/alternatives.ts'
import { appEnvTarget, id, pasted } from '../../calls/input.ts'

export interface WhichHost {
  hostId?: string | undefined
  host?: string | undefined
}

const namedHost = atLeastOneOf(
  {
    hostId: id('host').optional(),
    host: pasted().min(1).max(300).optional().describe('Host name, such as www.example.com.'),
  },
  '; GET /app-env/hosts (GraphQL: hosts) lists all of them',
)

/** One host of an environment. */
export const whichHost = { ...appEnvTarget, ...namedHost }
