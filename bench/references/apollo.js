import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'

// Apollo Server as its documentation starts it: no authentication, no limits, no access log.
const server = new ApolloServer({ typeDefs: 'type Query { version: String! }', resolvers: {} })
const { url } = await startStandaloneServer(server, { listen: { port: 0, host: '127.0.0.1' } })
process.send?.(Number(new URL(url).port))
process.on('message', () => process.send?.(process.cpuUsage()))
